-- Generated from contract/fields.json. The ids of the names of texts that contain the text ?1, as a JSON array.
SELECT json_group_array(id) FROM names
WHERE kind IN ('agent_type', 'tool_name', 'branch', 'project', 'model', 'source_event', 'service_tier', 'subagent', 'skill', 'mcp_server', 'host') AND has_text(CAST(name AS BLOB), ?1, NULL)
