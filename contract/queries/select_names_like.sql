-- Generated from contract/fields.json. The ids of the names of texts that contain a text, as a JSON array. ?1 is a pattern
-- of LIKE.
SELECT json_group_array(id) FROM names
WHERE kind IN ('agent_type', 'tool_name', 'branch', 'project', 'model', 'source_event') AND name LIKE +?1 ESCAPE '\'
