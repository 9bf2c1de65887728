import { Script } from './script.ts';

/*
 * The scripts on one run. All of them share three keys under one hash tag:
 *
 *   KEYS[1] run       hash: epoch, token, generator, generatorChannel, problem, watcher, watcherChannel, flagged
 *                     (smallest), ended (number of steps), wasted, handedOver (tokens of the current epoch, which its
 *                     worker has handed over), crashed (1 once an epoch has ended without a word, else 0), calls,
 *                     tokensIn, tokensOut, tokensCached, simulatedCalls, booked (ids of the last bookings), result; and
 *                     `start:TOKEN` for each start: the epoch, wasted tokens and crash that it was answered
 *   KEYS[2] steps     list: the JSON of each step of the current epoch, at its index
 *   KEYS[3] verdicts  hash: step index to the JSON of its verdict, of the current epoch
 *
 * Steps and verdicts belong to the epoch and token that stand in the hash: every reader and writer names both and is
 * refused when they differ, and a new epoch empties them. Every script is safe to send twice (a connection that
 * breaks may resend it): it answers the second time as it did the first.
 *
 * Answers: {'refused', why} with why one of 'gone' (no hash), 'stale' (another epoch), 'committed', 'watcher'
 * (another watcher), 'index', 'flag', 'unjudged'; else what the script's header says.
 */

/** Lua: refuses unless (epoch, token) is current; `open` also refuses a committed run. */
const guards = `
local function why_not_current(epoch, token)
  local current = redis.call('HMGET', KEYS[1], 'epoch', 'token')
  if not current[1] then return 'gone' end
  if current[1] ~= epoch or current[2] ~= token then return 'stale' end
  return nil
end
local function why_not_open(epoch, token)
  local current = redis.call('HMGET', KEYS[1], 'epoch', 'token', 'result')
  if not current[1] then return 'gone' end
  if current[1] ~= epoch or current[2] ~= token then return 'stale' end
  if current[3] then return 'committed' end
  return nil
end
local function renew(expiry)
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], expiry) end
end
local function push(field, message)
  local channel = redis.call('HGET', KEYS[1], field)
  if channel and channel ~= '' then redis.call('PUBLISH', channel, message) end
end
`;

/**
 * ARGV: token, generator, its channel, problem (JSON or ''), wasted tokens of the epoch it gives up ('' if it does not
 * know: then those that its worker handed over, else the tokens of the steps published are taken, and it has crashed),
 * expiry.
 * Effect: a new epoch, with no steps, verdicts, flag or watcher. Answer: {'started', epoch, wasted so far, 1 if any
 * epoch so far crashed, else 0}, or {'committed', result} and no effect. A token begins one epoch only: sent again, even after another start (by a
 * connection that comes back late), it is answered as before and takes nothing over.
 */
export const startScript = new Script(`${guards}
local result = redis.call('HGET', KEYS[1], 'result')
if result then return {'committed', result} end
local answered = redis.call('HGET', KEYS[1], 'start:' .. ARGV[1]) or ''
local epoch_before, wasted_before, crashed_before = string.match(answered, '(%d+) (%d+) ?(%d*)')
if epoch_before then
  return {'started', tonumber(epoch_before), tonumber(wasted_before), tonumber(crashed_before) or 0}
end
local state = redis.call('HMGET', KEYS[1], 'epoch', 'handedOver', 'crashed')
local wasted = tonumber(ARGV[5]) or tonumber(state[2] or '')
local crashed = tonumber(state[3] or '') or 0
if not wasted then
  if state[1] then crashed = 1 end
  wasted = 0
  for _, step in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
    -- Matched, not decoded: cjson refuses the half surrogate pairs that a cut may leave. A quote within a text is escaped.
    wasted = wasted + tonumber(string.match(step, '"tokens":(%d+)'))
  end
end
local epoch = tonumber(state[1] or 0) + 1
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HDEL', KEYS[1], 'watcher', 'watcherChannel', 'flagged', 'ended', 'handedOver')
redis.call('HSET', KEYS[1], 'epoch', epoch, 'token', ARGV[1], 'generator', ARGV[2], 'generatorChannel', ARGV[3],
  'problem', ARGV[4], 'crashed', crashed)
local total = redis.call('HINCRBY', KEYS[1], 'wasted', wasted)
redis.call('HSET', KEYS[1], 'start:' .. ARGV[1], epoch .. ' ' .. total .. ' ' .. crashed)
renew(ARGV[6])
return {'started', epoch, total, crashed}
`);

/**
 * ARGV: epoch, token, tokens received, expiry.
 * Effect: the epoch is over for its worker, which has received so many tokens: the next start books them, and knows that
 * nothing crashed. Answer: {'handed-over'}.
 */
export const handOverScript = new Script(`${guards}
local why = why_not_open(ARGV[1], ARGV[2])
if why then return {'refused', why} end
redis.call('HSET', KEYS[1], 'handedOver', ARGV[3])
renew(ARGV[4])
return {'handed-over'}
`);

/**
 * ARGV: epoch, token, watcher, its channel, push, expiry.
 * Effect: this watcher watches; an earlier one is refused from now on. Pushes to the generator, if it is another watcher
 * than before.
 * Answer: {'watching', problem, ended or '', flagged or '', steps, verdicts as a flat list}: what stands at this
 * moment, so that nothing falls between registering and reading.
 */
export const watchScript = new Script(`${guards}
local why = why_not_open(ARGV[1], ARGV[2])
if why then return {'refused', why} end
local before = redis.call('HGET', KEYS[1], 'watcher')
redis.call('HSET', KEYS[1], 'watcher', ARGV[3], 'watcherChannel', ARGV[4])
renew(ARGV[6])
if before ~= ARGV[3] then push('generatorChannel', ARGV[5]) end
local state = redis.call('HMGET', KEYS[1], 'problem', 'ended', 'flagged')
return {'watching', state[1], state[2] or '', state[3] or '', redis.call('LRANGE', KEYS[2], 0, -1),
  redis.call('HGETALL', KEYS[3])}
`);

/**
 * ARGV: epoch, token, index of the first step, expiry, number of steps in all ('' while more may come), head of the push,
 * then the JSON of each step.
 * Effect: appends each step at its index, and stores the number; what is new is pushed to the watcher, in one message. A
 * step that stands already is left as it is. Answer: {'published'}.
 */
export const publishScript = new Script(`${guards}
local why = why_not_open(ARGV[1], ARGV[2])
if why then return {'refused', why} end
local length = redis.call('LLEN', KEYS[2])
local index = tonumber(ARGV[3])
if index > length then return {'refused', 'index'} end
local new = {}
for i = 7, #ARGV do
  if index >= length then new[#new + 1] = ARGV[i]
  elseif redis.call('LINDEX', KEYS[2], index) ~= ARGV[i] then return {'refused', 'index'} end
  index = index + 1
end
if #new > 0 then redis.call('RPUSH', KEYS[2], unpack(new)) end
local ended = ''
if ARGV[5] ~= '' and redis.call('HGET', KEYS[1], 'ended') ~= ARGV[5] then
  redis.call('HSET', KEYS[1], 'ended', ARGV[5])
  ended = ',"ended":' .. ARGV[5]
end
renew(ARGV[4])
if #new > 0 or ended ~= '' then
  push('watcherChannel', ARGV[6] .. table.concat(new, ',') .. ']' .. ended .. '}')
end
return {'published'}
`);

/**
 * ARGV: epoch, token, number of steps, push, expiry.
 * Effect: stores the number; pushes to the watcher, if it is new. Answer: {'ended'}.
 */
export const endScript = new Script(`${guards}
local why = why_not_current(ARGV[1], ARGV[2])
if why then return {'refused', why} end
local before = redis.call('HGET', KEYS[1], 'ended')
redis.call('HSET', KEYS[1], 'ended', ARGV[3])
renew(ARGV[5])
if before ~= ARGV[3] then push('watcherChannel', ARGV[4]) end
return {'ended'}
`);

/**
 * ARGV: epoch, token, watcher ('' for the generator itself), expiry, head of the push, then for each verdict: step index,
 * '1' if unsafe, its JSON.
 * Effect: the first verdict of a step stands; the smallest flagged index is kept; what is new is pushed to the
 * generator, in one message. Answer: {'stored'}.
 */
export const verdictScript = new Script(`${guards}
local why = why_not_open(ARGV[1], ARGV[2])
if why then return {'refused', why} end
if ARGV[3] ~= '' and redis.call('HGET', KEYS[1], 'watcher') ~= ARGV[3] then return {'refused', 'watcher'} end
local new = {}
local unsafe
for i = 6, #ARGV, 3 do
  if redis.call('HSETNX', KEYS[3], ARGV[i], ARGV[i + 2]) == 1 then
    new[#new + 1] = ARGV[i + 2]
    local index = tonumber(ARGV[i])
    if ARGV[i + 1] == '1' and (not unsafe or index < unsafe) then unsafe = index end
  end
end
if unsafe then
  local flagged = tonumber(redis.call('HGET', KEYS[1], 'flagged'))
  if not flagged or unsafe < flagged then redis.call('HSET', KEYS[1], 'flagged', unsafe) end
end
renew(ARGV[4])
if #new > 0 then push('generatorChannel', ARGV[5] .. table.concat(new, ',') .. ']}') end
return {'stored'}
`);

/**
 * ARGV: epoch, token, index to read steps from, most steps to read, a range of indexes (from, to) to be searched for
 * steps without a verdict, then the indexes whose verdicts are wanted.
 * No effect. Answer: {'current', ended or '', flagged or '', watcher or '', steps, verdicts (JSON or '') in the order
 * asked for, indexes of the range that have none}, all of one moment.
 */
export const lookScript = new Script(`${guards}
local why = why_not_open(ARGV[1], ARGV[2])
if why then return {'refused', why} end
local state = redis.call('HMGET', KEYS[1], 'ended', 'flagged', 'watcher')
local from = tonumber(ARGV[3])
local most = tonumber(ARGV[4])
local steps = {}
-- Not for 0: LRANGE 0 -1 is the whole list.
if most > 0 then steps = redis.call('LRANGE', KEYS[2], from, from + most - 1) end
local verdicts = {}
for i = 7, #ARGV do verdicts[#verdicts + 1] = redis.call('HGET', KEYS[3], ARGV[i]) or '' end
local missing = {}
for i = tonumber(ARGV[5]), tonumber(ARGV[6]) - 1 do
  if redis.call('HEXISTS', KEYS[3], i) == 0 then missing[#missing + 1] = i end
end
return {'current', state[1] or '', state[2] or '', state[3] or '', steps, verdicts, missing}
`);

/**
 * ARGV: id of the booking (16 characters), calls, tokens in, tokens out, tokens cached, expiry, simulated calls.
 * Effect: adds them to the run, once for an id: the last 64 are remembered, more than are ever in flight on one run.
 * Answer: {'booked'}.
 */
export const bookScript = new Script(`${guards}
if redis.call('EXISTS', KEYS[1]) == 0 then return {'refused', 'gone'} end
local booked = redis.call('HGET', KEYS[1], 'booked') or ''
if string.find(booked, ARGV[1], 1, true) then return {'booked'} end
redis.call('HSET', KEYS[1], 'booked', string.sub(ARGV[1] .. ' ' .. booked, 1, 64 * 17))
for i, field in ipairs({'calls', 'tokensIn', 'tokensOut', 'tokensCached'}) do
  redis.call('HINCRBY', KEYS[1], field, ARGV[i + 1])
end
if ARGV[7] ~= '0' then redis.call('HINCRBY', KEYS[1], 'simulatedCalls', ARGV[7]) end
renew(ARGV[6])
return {'booked'}
`);

/**
 * ARGV: epoch, token, mode ('unguarded', 'halt', 'flag'), the flagged index that the result speaks of ('' for none),
 * result (JSON), push, expiry.
 * Effect: the result stands; pushed to the watcher. Refused as 'flag' when the smallest flagged index is another, as
 * 'unjudged' when a step before the cut (under 'halt' the flagged index, else the end) has no verdict.
 * Answer: {'committed'}.
 */
export const commitScript = new Script(`${guards}
local why = why_not_current(ARGV[1], ARGV[2])
if why then return {'refused', why} end
if redis.call('HEXISTS', KEYS[1], 'result') == 1 then return {'committed'} end
if ARGV[3] ~= 'unguarded' then
  local state = redis.call('HMGET', KEYS[1], 'flagged', 'ended')
  if (state[1] or '') ~= ARGV[4] then return {'refused', 'flag'} end
  local cut = math.max(tonumber(state[2] or 0), redis.call('LLEN', KEYS[2]))
  if ARGV[3] == 'halt' and state[1] then cut = tonumber(state[1]) end
  for i = 0, cut - 1 do
    if redis.call('HEXISTS', KEYS[3], i) == 0 then return {'refused', 'unjudged'} end
  end
end
redis.call('HSET', KEYS[1], 'result', ARGV[5])
renew(ARGV[7])
push('watcherChannel', ARGV[6])
return {'committed'}
`);

/**
 * No effect. Answer: {'committed', result, calls, tokens in, tokens out, tokens cached, steps, verdicts, simulated calls},
 * all of one moment; {'open'} when the run is not committed or its keys are gone.
 */
export const readScript = new Script(`
local state = redis.call('HMGET', KEYS[1], 'result', 'calls', 'tokensIn', 'tokensOut', 'tokensCached',
  'simulatedCalls')
if not state[1] then return {'open'} end
return {'committed', state[1], state[2] or '0', state[3] or '0', state[4] or '0', state[5] or '0',
  redis.call('LRANGE', KEYS[2], 0, -1), redis.call('HVALS', KEYS[3]), state[6] or '0'}
`);
