import { Script } from './script.ts';

/*
 * The scripts on what one model can take, over all processes. All of them share four keys under one hash tag:
 *
 *   KEYS[1] starts  sorted set: requests by when they had reached the server, at the latest (Redis's clock, in ms)
 *   KEYS[2] tokens  hash: a request's tokens, and their `sum`
 *   KEYS[3] open    sorted set: requests under way by when their holder counts as dead
 *   KEYS[4] pause   stands while the model asks to be left alone
 *
 * A sliding-window log, and no coarser: a request leaves `starts` one window after it had surely reached the server. So
 * whenever one is granted, fewer than the limit can have arrived within a window before it or since, and no window at
 * the server holds more than the limit, wherever it begins. Its tokens stay for as long, or until it ends if that is
 * later: a stream that outlasts the window is still being generated.
 */

const common = `
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end
local function drop_tokens(id)
  local tokens = redis.call('HGET', KEYS[2], id)
  if not tokens then return end
  redis.call('HDEL', KEYS[2], id)
  redis.call('HINCRBY', KEYS[2], 'sum', -tonumber(tokens))
end
local function close(id)
  redis.call('ZREM', KEYS[3], id)
  if not redis.call('ZSCORE', KEYS[1], id) then drop_tokens(id) end
end
local function keep()
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], 3600000) end
end
`;

/**
 * ARGV: request id, window in ms, how long a request may take to reach the server in ms, requests a window, tokens a
 * window, requests at once ('' each: no limit), tokens of this request at most, life of an unrenewed holder in ms.
 * Effect: the request counts, if everything allows it. A request with more tokens than the limit goes alone.
 * Answer: {'granted'}, or {'wait', reason, ms after which to ask again at the latest}.
 */
export const enterScript = new Script(`${common}
local id, window = ARGV[1], tonumber(ARGV[2])
local requests, tokens, concurrency = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
if redis.call('ZSCORE', KEYS[3], id) then return {'granted'} end
local paused = redis.call('PTTL', KEYS[4])
if paused > 0 then return {'wait', 'pause', paused} end
if not (requests or tokens or concurrency) then return {'granted'} end
local now = now_ms()
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now)) do close(dead) end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - window)) do
  redis.call('ZREM', KEYS[1], old)
  if not redis.call('ZSCORE', KEYS[3], old) then drop_tokens(old) end
end
local function until_one_leaves(place)
  local entry = redis.call('ZRANGE', KEYS[1], place, place, 'WITHSCORES')
  if not entry[2] then return 1000 end
  return math.max(1, math.ceil(tonumber(entry[2]) + window - now))
end
local started = redis.call('ZCARD', KEYS[1])
if concurrency and redis.call('ZCARD', KEYS[3]) >= concurrency then return {'wait', 'concurrency', 1000} end
if requests and started >= requests then return {'wait', 'requests', until_one_leaves(started - requests)} end
local sum = tonumber(redis.call('HGET', KEYS[2], 'sum') or 0)
if tokens and sum > 0 and sum + tonumber(ARGV[7]) > tokens then return {'wait', 'tokens', until_one_leaves(0)} end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), id)
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[8]), id)
if tokens then
  redis.call('HSET', KEYS[2], id, ARGV[7])
  redis.call('HINCRBY', KEYS[2], 'sum', ARGV[7])
end
keep()
return {'granted'}
`);

/** ARGV: request id. Effect: the request has reached the server by now. Answer: {'noted'}. */
export const arriveScript = new Script(`${common}
redis.call('ZADD', KEYS[1], 'XX', 'LT', now_ms(), ARGV[1])
return {'noted'}
`);

/**
 * ARGV: request id, tokens that it used ('' for those reserved).
 * Effect: the request is over; what it used counts in place of what was reserved. Answer: {'left'}.
 */
export const leaveScript = new Script(`${common}
local id = ARGV[1]
redis.call('ZADD', KEYS[1], 'XX', 'LT', now_ms(), id)
local reserved = redis.call('HGET', KEYS[2], id)
if reserved and ARGV[2] ~= '' then
  redis.call('HINCRBY', KEYS[2], 'sum', tonumber(ARGV[2]) - tonumber(reserved))
  redis.call('HSET', KEYS[2], id, ARGV[2])
end
close(id)
return {'left'}
`);

/** ARGV: life in ms, then request ids. Effect: those that are still open live on. Answer: {'renewed'}. */
export const renewScript = new Script(`${common}
local until_ms = now_ms() + tonumber(ARGV[1])
for i = 2, #ARGV do redis.call('ZADD', KEYS[3], 'XX', until_ms, ARGV[i]) end
keep()
return {'renewed'}
`);

/** ARGV: ms. Effect: nobody enters for so long, or for longer if that was asked for before. Answer: {'paused'}. */
export const pauseScript = new Script(`
if redis.call('PTTL', KEYS[4]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[4], '1', 'PX', ARGV[1]) end
return {'paused'}
`);
