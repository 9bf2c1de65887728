import { openSpend } from './spend-scripts.ts';
import { Script } from './script.ts';

/* The scripts on one sweep: their keys share the sweep's hash tag. */

/**
 * KEYS: results stream, backlog bytes. ARGV: place, epoch, bytes.
 * Effect: an entry in the stream; the byte counter rises. Sent twice it adds two entries: the second finds the run
 * marked and is settled. Answer: {'sent', the counter}.
 */
export const sendScript = new Script(`
redis.call('XADD', KEYS[1], '*', 'place', ARGV[1], 'epoch', ARGV[2], 'bytes', ARGV[3])
return {'sent', tostring(redis.call('INCRBY', KEYS[2], ARGV[3]))}
`);

/**
 * KEYS: lease. ARGV: token, time to live in ms.
 * Effect: the lease is held by the token, if it is free or held by it already. Answer: {'held'} or {'refused'}.
 */
export const leaseScript = new Script(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return {'refused'} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {'held'}
`);

/** KEYS: lease. ARGV: token. Effect: the lease is free if the token held it. Answer: {'released'} or {'refused'}. */
export const releaseScript = new Script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'refused'} end
redis.call('DEL', KEYS[1])
return {'released'}
`);

/**
 * KEYS: lease, done marks, spend, open spend, results stream, backlog bytes. ARGV: lease token, group, then what all runs
 * on disk came to ('' each: not told): money, tokens, runs; number of places, the places, then the ids of the entries.
 * Refused unless the lease is held by the token. Effect: marks the places as done, frees what they had reserved, and
 * sets what is spent; acknowledges and deletes the entries and takes their bytes off the counter (once, however often
 * it is sent). Answer: {'settled'} or {'refused'}.
 */
export const settleScript = new Script(`${openSpend('KEYS[3]', 'KEYS[4]')}
-- 0 for an entry that does not fit: it must be droppable too.
local function bytes_of(fields)
  for i = 1, #fields, 2 do
    if fields[i] == 'bytes' then return tonumber(string.match(fields[i + 1], '^%d+$')) or 0 end
  end
  return 0
end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'refused'} end
local bytes = 0
if ARGV[3] ~= '' then redis.call('HSET', KEYS[3], 'money', ARGV[3], 'tokens', ARGV[4], 'runs', ARGV[5]) end
local places = tonumber(ARGV[6])
for i = 7, 6 + places do
  redis.call('SETBIT', KEYS[2], ARGV[i], 1)
  free(ARGV[i])
end
for i = 7 + places, #ARGV do
  local entry = redis.call('XRANGE', KEYS[5], ARGV[i], ARGV[i])[1]
  redis.call('XACK', KEYS[5], ARGV[2], ARGV[i])
  if entry and redis.call('XDEL', KEYS[5], ARGV[i]) == 1 then bytes = bytes + bytes_of(entry[2]) end
end
if bytes > 0 and redis.call('DECRBY', KEYS[6], bytes) < 0 then redis.call('SET', KEYS[6], 0) end
return {'settled'}
`);
