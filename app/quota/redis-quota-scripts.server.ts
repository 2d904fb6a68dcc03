import { defineScript } from "~/platform/redis/redis-script.server";
import type { QuotaKind, QuotaOwner } from "./quota-subject";

/** All keys of the quota share a tag in braces, so that a cluster keeps them on one server, where scripts can. */
const tag = "{quota}";

export const quotaKeys = {
  /** used, windowStartMs, resetAtMs */
  window: ({ kind, subject }: QuotaOwner) => `${tag}:window:${kind}:${subject}`,
  /** The reservations in the windows of one subject: id → "amount resetAtMs". */
  held: ({ kind, subject }: QuotaOwner) => `${tag}:held:${kind}:${subject}`,
  /** Whose a reservation is, and until when. */
  reservation: (id: string) => `${tag}:reservation:${id}`,
  /** "id instance" of every reservation, ordered by its expiry; earlier versions read it under this name. */
  reservations: `${tag}:leases`,
  /** Processes that reserve tokens, ordered by when their heartbeats time out. */
  instances: `${tag}:instances`,
  /** The subjects that have windows, ordered by their ends. */
  subjects: (kind: QuotaKind) => `${tag}:subjects:${kind}`,
};

/** For scripts that learn only from a reservation whose it is. */
export const quotaKeyStart = `${tag}:`;

/** Adds up what is reserved in the window that ends at `resetAtMs`. */
const sumHeld = `
  local function sumHeld(key, resetAtMs)
    local sum = 0
    for _, entry in ipairs(redis.call('HVALS', key)) do
      local amount, windowEnd = string.match(entry, '^(%d+) (%d+)$')
      if windowEnd == resetAtMs then sum = sum + tonumber(amount) end
    end
    return sum
  end`;

/** When the first reservation must have ended; one that is late is settled when it expires. */
const findFirstEnd = `
  local function findFirstEnd(heldKey, keyStart, resetAtMs, nowMs, marginMs)
    local first = false
    local held = redis.call('HGETALL', heldKey)
    for at = 1, #held, 2 do
      if string.match(held[at + 1], ' (%d+)$') == resetAtMs then
        local reservationKey = keyStart .. 'reservation:' .. held[at]
        -- One that a Redis short of memory has dropped is nobody's to settle.
        local expiresAtMs = tonumber(redis.call('HGET', reservationKey, 'leaseUntilMs')) or tonumber(resetAtMs)
        local endsAtMs = expiresAtMs - marginMs
        if endsAtMs <= nowMs then endsAtMs = expiresAtMs end
        if not first or endsAtMs < first then first = endsAtMs end
      end
    end
    return first and string.format('%.0f', first) or resetAtMs
  end`;

/** A subject stays known until nothing of it is left; a few that may be gone are looked at each time. */
const forgetSubjects = `
  local function forgetSubjects(subjectsKey, keyStart, kind, nowMs)
    local expired = redis.call('ZRANGEBYSCORE', subjectsKey, '-inf', nowMs, 'LIMIT', 0, 5)
    for _, subject in ipairs(expired) do
      local owner = kind .. ':' .. subject
      if redis.call('EXISTS', keyStart .. 'window:' .. owner, keyStart .. 'held:' .. owner) == 0 then
        redis.call('ZREM', subjectsKey, subject)
      end
    end
  end`;

/**
 * Answers with the amount (0: there is too little left), what is used, what is now reserved, and the window's end; where
 * reservations are what leaves too little, also with the first end of those.
 */
export const reserveScript = defineScript({
  name: "quota-reserve",
  lua: `${sumHeld}${findFirstEnd}${forgetSubjects}
  local windowKey, heldKey, reservationKey, reservationsKey, subjectsKey, keyStart =
    KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
  local nowMs, endMs, keptForMs, wanted, minimum, limit, id, kind, subject, expiresAtMs, instance, marginMs =
    unpack(ARGV)

  local window = redis.call('HMGET', windowKey, 'used', 'windowStartMs', 'resetAtMs')
  local used, resetAtMs = window[1], window[3]
  -- A window that begins that far ahead was opened before the clock was set back, and would stay for too long.
  local isOpen = used and tonumber(resetAtMs) > tonumber(nowMs) and tonumber(window[2]) <= tonumber(endMs)
  if not isOpen then
    used, resetAtMs = '0', endMs
    redis.call('HSET', windowKey, 'used', 0, 'windowStartMs', nowMs, 'resetAtMs', endMs)
    redis.call('PEXPIRE', windowKey, keptForMs)
    redis.call('ZADD', subjectsKey, endMs, subject)
  end
  forgetSubjects(subjectsKey, keyStart, kind, nowMs)

  local held = sumHeld(heldKey, resetAtMs)
  local remaining = math.max(0, tonumber(limit) - tonumber(used) - held)
  if remaining < tonumber(minimum) then
    local answer = {'0', used, string.format('%.0f', held), resetAtMs}
    if tonumber(limit) - tonumber(used) >= tonumber(minimum) then
      table.insert(answer, findFirstEnd(heldKey, keyStart, resetAtMs, tonumber(nowMs), tonumber(marginMs)))
    end
    return answer
  end

  local amount = string.format('%.0f', math.min(tonumber(wanted), remaining))
  redis.call('HSET', heldKey, id, amount .. ' ' .. resetAtMs)
  redis.call('HSET', reservationKey, 'kind', kind, 'subject', subject, 'amount', amount,
    'windowResetAtMs', resetAtMs, 'leaseUntilMs', expiresAtMs, 'instance', instance)
  redis.call('ZADD', reservationsKey, expiresAtMs, id .. ' ' .. instance)
  return {amount, used, string.format('%.0f', held + amount), resetAtMs}`,
});

/** 1 when this call settled it: of several at once exactly one does. */
export const settleScript = defineScript({
  name: "quota-settle",
  lua: `
  local reservationKey, reservationsKey, keyStart = KEYS[1], KEYS[2], KEYS[3]
  local id, usedTokens = ARGV[1], ARGV[2]
  local reservation = redis.call('HMGET', reservationKey,
    'kind', 'subject', 'amount', 'windowResetAtMs', 'instance')
  if not reservation[1] then return 0 end
  if usedTokens == '-1' then usedTokens = reservation[3] end

  local owner = reservation[1] .. ':' .. reservation[2]
  redis.call('DEL', reservationKey)
  redis.call('ZREM', reservationsKey, id .. ' ' .. reservation[5])
  redis.call('HDEL', keyStart .. 'held:' .. owner, id)
  local windowKey = keyStart .. 'window:' .. owner
  if redis.call('HGET', windowKey, 'resetAtMs') == reservation[4] then
    redis.call('HINCRBY', windowKey, 'used', usedTokens)
  end
  return 1`,
});

export const listReservationsScript = defineScript({
  name: "quota-list-reservations",
  lua: `return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')`,
});

/** Redis' own clock, which is one for all processes. */
const readNow = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** 1 where the process had been alive until now. */
export const heartbeatScript = defineScript({
  name: "quota-heartbeat",
  lua: `${readNow}
  local expiresAtMs = redis.call('ZSCORE', KEYS[1], ARGV[1])
  redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  return expiresAtMs and tonumber(expiresAtMs) > now and 1 or 0`,
});

export const leaveScript = defineScript({
  name: "quota-leave",
  lua: `return redis.call('ZADD', KEYS[1], 'XX', 0, ARGV[1])`,
});

export const listGoneScript = defineScript({
  name: "quota-list-gone",
  lua: `${readNow}
  return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)`,
});

/** Those that are named and not back meanwhile. */
export const forgetInstancesScript = defineScript({
  name: "quota-forget-instances",
  lua: `${readNow}
  for _, instance in ipairs(ARGV) do
    local expiresAtMs = redis.call('ZSCORE', KEYS[1], instance)
    if expiresAtMs and tonumber(expiresAtMs) <= now then redis.call('ZREM', KEYS[1], instance) end
  end
  return 1`,
});

export const findExpiredScript = defineScript({
  name: "quota-find-expired",
  lua: `
  return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])`,
});

/** Nothing where no window is open; otherwise what is used, what is reserved, and the window's end. */
export const standingScript = defineScript({
  name: "quota-standing",
  lua: `${sumHeld}
  local window = redis.call('HMGET', KEYS[1], 'used', 'resetAtMs')
  if not window[1] or tonumber(window[2]) <= tonumber(ARGV[1]) then return {} end
  return {window[1], string.format('%.0f', sumHeld(KEYS[2], window[2])), window[2]}`,
});

/** Deletes what one subject has used and reserved; 1 when there was a window. */
const deleteSubject = `
  local function deleteSubject(kind, subject, reservationsKey, subjectsKey, keyStart)
    local owner = kind .. ':' .. subject
    local heldKey = keyStart .. 'held:' .. owner
    for _, id in ipairs(redis.call('HKEYS', heldKey)) do
      local reservationKey = keyStart .. 'reservation:' .. id
      local instance = redis.call('HGET', reservationKey, 'instance')
      redis.call('DEL', reservationKey)
      if instance then redis.call('ZREM', reservationsKey, id .. ' ' .. instance) end
    end
    redis.call('DEL', heldKey)
    redis.call('ZREM', subjectsKey, subject)
    return redis.call('DEL', keyStart .. 'window:' .. owner)
  end`;

/** The subjects are all that have windows, or those that are named. Answers with the number of windows. */
export const deleteWindowsScript = defineScript({
  name: "quota-delete-windows",
  lua: `${deleteSubject}
  local reservationsKey, subjectsKey, keyStart = KEYS[1], KEYS[2], KEYS[3]
  local kind, isAll = ARGV[1], ARGV[2] == 'all'
  local subjects = {}
  if isAll then subjects = redis.call('ZRANGE', subjectsKey, 0, -1) end
  for index = 3, #ARGV do table.insert(subjects, ARGV[index]) end
  local count = 0
  for _, subject in ipairs(subjects) do
    count = count + deleteSubject(kind, subject, reservationsKey, subjectsKey, keyStart)
  end
  return count`,
});

/** Four values for each window that is open: subject, used, reserved, end. */
export const listWindowsScript = defineScript({
  name: "quota-list-windows",
  lua: `${sumHeld}
  local subjectsKey, keyStart, kind, nowMs = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
  local answer = {}
  for _, subject in ipairs(redis.call('ZRANGEBYSCORE', subjectsKey, '(' .. nowMs, '+inf')) do
    local owner = kind .. ':' .. subject
    local window = redis.call('HMGET', keyStart .. 'window:' .. owner, 'used', 'resetAtMs')
    if window[1] then
      local held = sumHeld(keyStart .. 'held:' .. owner, window[2])
      for _, value in ipairs({subject, window[1], string.format('%.0f', held), window[2]}) do table.insert(answer, value) end
    end
  end
  return answer`,
});
