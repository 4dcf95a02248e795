-- Generated from contract/fields.json. Blocks from :first to :last, newest first, whose summary has every wanted name
-- id, a wanted time and session (rule GET-12). :session is the key of a session. :late is 0 for rows that are not late
-- alone (rule GET-15). NULL stands for any.
SELECT id FROM event_blocks
WHERE id BETWEEN :first AND :last
  AND (
    (first_time IS NOT NULL AND (:since IS NULL OR last_time >= :since) AND (:until IS NULL OR first_time < :until))
    OR (:late IS NULL AND (:since IS NULL OR last_late >= :since) AND (:until IS NULL OR first_late < :until))
  )
  AND (:agent_type IS NULL OR instr(names, unhex(printf('%08X', :agent_type))))
  AND (:event_type IS NULL OR instr(names, unhex(printf('%08X', :event_type))))
  AND (:tool_name IS NULL OR instr(names, unhex(printf('%08X', :tool_name))))
  AND (:status IS NULL OR instr(names, unhex(printf('%08X', :status))))
  AND (:branch IS NULL OR instr(names, unhex(printf('%08X', :branch))))
  AND (:project IS NULL OR instr(names, unhex(printf('%08X', :project))))
  AND (:model IS NULL OR instr(names, unhex(printf('%08X', :model))))
  AND (:source IS NULL OR instr(names, unhex(printf('%08X', :source))))
  AND (:source_event IS NULL OR instr(names, unhex(printf('%08X', :source_event))))
  AND (:service_tier IS NULL OR instr(names, unhex(printf('%08X', :service_tier))))
  AND (:subagent IS NULL OR instr(names, unhex(printf('%08X', :subagent))))
  AND (:skill IS NULL OR instr(names, unhex(printf('%08X', :skill))))
  AND (:mcp_server IS NULL OR instr(names, unhex(printf('%08X', :mcp_server))))
  AND (:host IS NULL OR instr(names, unhex(printf('%08X', :host))))
  AND (:session IS NULL OR instr(sessions, unhex(printf('%08X', :session))))
ORDER BY id DESC
