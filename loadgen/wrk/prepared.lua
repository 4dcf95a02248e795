-- Sends bodies from a file, one a line, each once, and reports the answers.
--
-- wrk -t1 -c N -s prepared.lua URL -- FILE PATH COUNT
-- stdout: `alive` with the first request and now and then, `done {…}` when every request was answered; wrk then waits to be interrupted.
-- Invariant: a request is sent once and in the order of the file, and nothing else is sent.

local ffi = require("ffi")
ffi.cdef([[
typedef struct { long seconds; long nanoseconds; } moment;
int clock_gettime(int clock, moment *now);
]])

local MONOTONIC = 1
-- Longer than any run: a connection that has nothing more to send.
local NEVER_MS = 86400000
local ALIVE_S = 0.5

local moment = ffi.new("moment")
local function now()
  ffi.C.clock_gettime(MONOTONIC, moment)
  return tonumber(moment.seconds) + tonumber(moment.nanoseconds) / 1e9
end

local file, head, count
-- Each turn that `delay` gives is one request, so that two connections never share the last one.
local turns, sent, answered, bytes = 0, 0, 0, 0
local received, non_2xx = 0, 0
local statuses = {}
local began, reported, cpu

function init(args)
  file = assert(io.open(args[1], "rb"))
  file:setvbuf("full", 1048576)
  count = tonumber(args[3])
  head = "POST " .. args[2] .. " HTTP/1.1\r\nhost: " .. wrk.headers["Host"]
    .. "\r\ncontent-type: application/json\r\ncontent-length: "
end

function delay()
  if turns == count then return NEVER_MS end
  turns = turns + 1
  return 0
end

local function report(at)
  reported = at
  io.write("alive\n")
  io.flush()
end

function request()
  -- Before any turn wrk only looks whether this can be parsed.
  if turns == 0 then return head .. "0\r\n\r\n" end
  if sent == turns then error("a connection broke") end
  local body = file:read("*l")
  if began == nil then
    began, cpu = now(), os.clock()
    report(began)
  end
  sent = sent + 1
  bytes = bytes + #body
  return head .. #body .. "\r\n\r\n" .. body
end

function response(status, headers, body)
  local at = now()
  local new = tonumber(string.match(body, '"received":(%d+)'))
  statuses[status] = (statuses[status] or 0) + 1
  if status >= 200 and status <= 299 and new ~= nil then
    received = received + new
  else
    non_2xx = non_2xx + 1
  end
  answered = answered + 1
  if at - reported > ALIVE_S then report(at) end
  if answered == count then
    local parts = {}
    for code, times in pairs(statuses) do parts[#parts + 1] = string.format('"%s":%d', code, times) end
    io.write(string.format(
      'done {"requests":%d,"duration_ms":%.3f,"sent_bytes":%d,"received_events":%d,"non_2xx":%d,"generator_cpu_us":%.0f,"status_codes":{%s}}\n',
      sent, (at - began) * 1000, bytes, received, non_2xx, (os.clock() - cpu) * 1e6,
      table.concat(parts, ",")))
    io.flush()
  end
end
