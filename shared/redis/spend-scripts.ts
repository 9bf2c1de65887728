import { Script } from './script.ts';

/*
 * The scripts on what a sweep has spent. Their keys share the sweep's hash tag:
 *
 *   state       hash: status, cap (what capped it), maxMoney, maxTokens, maxRuns (absent: no such cap)
 *   spend       hash: money, tokens, runs (of the runs on disk, as the holder of the metrics lease counts them);
 *               lateMoney, lateTokens (monitor calls that ended after their run was on disk); openMoney, openTokens (the
 *               sums of what follows)
 *   open spend  hash: place of a run under way to `reserved money, reserved tokens, booked money, booked tokens`:
 *               the most that its target may come to, and what its monitor came to so far
 *
 * Money is in whole billionths.
 */

/** Lua: reads and replaces the account of a run under way, and keeps the sums. */
export function openSpend(spend: string, open: string): string {
  return `
local function account(place)
  local text = redis.call('HGET', ${open}, place) or '0 0 0 0'
  local a, b, c, d = string.match(text, '(%d+) (%d+) (%d+) (%d+)')
  return tonumber(a), tonumber(b), tonumber(c), tonumber(d)
end
local function add_open(money, tokens)
  redis.call('HINCRBY', ${spend}, 'openMoney', string.format('%.0f', money))
  redis.call('HINCRBY', ${spend}, 'openTokens', string.format('%.0f', tokens))
end
local function replace(place, money, tokens, booked_money, booked_tokens)
  local m, t, bm, bt = account(place)
  add_open(money + booked_money - m - bm, tokens + booked_tokens - t - bt)
  redis.call('HSET', ${open}, place, string.format('%.0f %.0f %.0f %.0f', money, tokens, booked_money, booked_tokens))
end
local function free(place)
  if redis.call('HEXISTS', ${open}, place) == 0 then return end
  local m, t, bm, bt = account(place)
  -- From 0, for a difference of -0 is no integer to Redis.
  add_open(0 - m - bm, 0 - t - bt)
  redis.call('HDEL', ${open}, place)
end
`;
}

/**
 * KEYS: state, done marks, spend, open spend. ARGV: place, money, tokens (the most that the run's target may come to), 1
 * if the run is under way.
 * Effect: that is reserved, in place of what the run had reserved before. A run that is not under way is refused when
 * the sweep is not running, and when a cap says so: 'wait' if it would fit without the others that are under way (they
 * may come to less than they have reserved), else 'capped', and the sweep is.
 * Answer: {'reserved'}, {'wait', cap}, {'capped', cap}, {'refused'}, or {'done'} when the run is on disk.
 */
export const reserveScript = new Script(`${openSpend('KEYS[3]', 'KEYS[4]')}
local place, money, tokens = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('GETBIT', KEYS[2], place) == 1 then return {'done'} end
local own_money, own_tokens, booked_money, booked_tokens = account(place)
if ARGV[4] ~= '1' then
  local state = redis.call('HMGET', KEYS[1], 'status', 'maxMoney', 'maxTokens', 'maxRuns')
  if state[1] ~= 'running' then return {'refused'} end
  local function spent(field) return tonumber(redis.call('HGET', KEYS[3], field) or 0) end
  local others = redis.call('HLEN', KEYS[4]) - redis.call('HEXISTS', KEYS[4], place)
  local caps = {
    {'maxCost', tonumber(state[2]), spent('money') + spent('lateMoney') + booked_money + money,
      spent('openMoney') - own_money - booked_money},
    {'maxTokens', tonumber(state[3]), spent('tokens') + spent('lateTokens') + booked_tokens + tokens,
      spent('openTokens') - own_tokens - booked_tokens},
    {'maxRuns', tonumber(state[4]), spent('runs') + 1, others},
  }
  for _, cap in ipairs(caps) do
    if cap[2] and cap[3] > cap[2] then
      redis.call('HSET', KEYS[1], 'status', 'capped', 'cap', cap[1])
      return {'capped', cap[1]}
    end
  end
  for _, cap in ipairs(caps) do
    if cap[2] and cap[3] + cap[4] > cap[2] then return {'wait', cap[1]} end
  end
end
replace(place, money, tokens, booked_money, booked_tokens)
return {'reserved'}
`);

/** KEYS: spend, open spend. ARGV: place. Effect: what the run had reserved is free. Answer: {'released'}. */
export const releaseScript = new Script(`${openSpend('KEYS[1]', 'KEYS[2]')}
free(ARGV[1])
return {'released'}
`);

/**
 * KEYS: done marks, spend, open spend. ARGV: place, money, tokens of one monitor call.
 * Effect: it is added to the run's account, or, when the run is on disk, to what came late. Answer: {'booked'}.
 */
export const bookSpendScript = new Script(`${openSpend('KEYS[2]', 'KEYS[3]')}
if redis.call('GETBIT', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[2], 'lateMoney', ARGV[2])
  redis.call('HINCRBY', KEYS[2], 'lateTokens', ARGV[3])
  return {'booked'}
end
local money, tokens, booked_money, booked_tokens = account(ARGV[1])
replace(ARGV[1], money, tokens, booked_money + tonumber(ARGV[2]), booked_tokens + tonumber(ARGV[3]))
return {'booked'}
`);

/**
 * KEYS: lease, done marks, spend, open spend. ARGV: lease token, then what all runs on disk came to: money, tokens, runs.
 * Refused unless the lease is held by the token. Effect: that is what is spent; runs that are marked as done have
 * nothing reserved, and the sums of the others are counted anew. Answer: {'recounted'} or {'refused'}.
 */
export const recountScript = new Script(`${openSpend('KEYS[3]', 'KEYS[4]')}
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'refused'} end
redis.call('HSET', KEYS[3], 'money', ARGV[2], 'tokens', ARGV[3], 'runs', ARGV[4], 'openMoney', 0, 'openTokens', 0)
for _, place in ipairs(redis.call('HKEYS', KEYS[4])) do
  if redis.call('GETBIT', KEYS[2], place) == 1 then
    redis.call('HDEL', KEYS[4], place)
  else
    local m, t, bm, bt = account(place)
    add_open(m + bm, t + bt)
  end
end
return {'recounted'}
`);
