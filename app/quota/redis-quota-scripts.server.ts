import { defineScript } from "~/platform/redis/redis-script.server";
import type { QuotaKind, QuotaOwner } from "./quota-subject";

/** A tag in braces, so that a cluster keeps all keys of the quota on one server, as scripts need. */
const tag = "{quota}";

export const quotaKeys = {
  /** used, windowStartMs, resetAtMs */
  window: ({ kind, subject }: QuotaOwner) => `${tag}:window:${kind}:${subject}`,
  /** Reservations in the windows of one subject: id → "amount resetAtMs". */
  held: ({ kind, subject }: QuotaOwner) => `${tag}:held:${kind}:${subject}`,
  reservation: (id: string) => `${tag}:reservation:${id}`,
  /** "id instance" of every reservation, ordered by its expiry; earlier versions read it under this name. */
  reservations: `${tag}:leases`,
  /** The subjects that have windows, ordered by their ends. */
  subjects: (kind: QuotaKind) => `${tag}:subjects:${kind}`,
};

/** For scripts that learn the subject only from the reservation. */
export const quotaKeyStart = `${tag}:`;

const sumHeld = `
  local function sumHeld(key, resetAtMs)
    local sum = 0
    for _, entry in ipairs(redis.call('HVALS', key)) do
      local amount, windowEnd = string.match(entry, '^(%d+) (%d+)$')
      if windowEnd == resetAtMs then sum = sum + tonumber(amount) end
    end
    return sum
  end`;

/** When the first reservation must have ended. A late one is settled when it expires. */
const findFirstEnd = `
  local function findFirstEnd(heldKey, keyStart, resetAtMs, nowMs, marginMs)
    local first = false
    local held = redis.call('HGETALL', heldKey)
    for at = 1, #held, 2 do
      if string.match(held[at + 1], ' (%d+)$') == resetAtMs then
        local reservationKey = keyStart .. 'reservation:' .. held[at]
        -- A Redis short of memory may have dropped it.
        local expiresAtMs = tonumber(redis.call('HGET', reservationKey, 'leaseUntilMs')) or tonumber(resetAtMs)
        local endsAtMs = expiresAtMs - marginMs
        if endsAtMs <= nowMs then endsAtMs = expiresAtMs end
        if not first or endsAtMs < first then first = endsAtMs end
      end
    end
    return first and string.format('%.0f', first) or resetAtMs
  end`;

/** Forgets a few subjects that have neither a window nor reservations. */
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
 * Returns the amount (0: too little is left), what is used, what is now reserved, and the window's end. If reservations
 * leave too little, also the first end of those.
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
  -- A window from the future was opened before the clock was set back.
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
    local reply = {'0', used, string.format('%.0f', held), resetAtMs}
    if tonumber(limit) - tonumber(used) >= tonumber(minimum) then
      table.insert(reply, findFirstEnd(heldKey, keyStart, resetAtMs, tonumber(nowMs), tonumber(marginMs)))
    end
    return reply
  end

  local amount = string.format('%.0f', math.min(tonumber(wanted), remaining))
  redis.call('HSET', heldKey, id, amount .. ' ' .. resetAtMs)
  redis.call('HSET', reservationKey, 'kind', kind, 'subject', subject, 'amount', amount,
    'windowResetAtMs', resetAtMs, 'leaseUntilMs', expiresAtMs, 'instance', instance)
  redis.call('ZADD', reservationsKey, expiresAtMs, id .. ' ' .. instance)
  return {amount, used, string.format('%.0f', held + amount), resetAtMs}`,
});

/** 1 if this call settled it. */
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

/** `id instance` of reservations that expire by a moment, the longest expired first. */
export const listReservationsScript = defineScript({
  name: "quota-list-reservations",
  lua: `return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])`,
});

/** Empty if no window is open; else what is used, what is reserved, and the window's end. */
export const standingScript = defineScript({
  name: "quota-standing",
  lua: `${sumHeld}
  local window = redis.call('HMGET', KEYS[1], 'used', 'resetAtMs')
  if not window[1] or tonumber(window[2]) <= tonumber(ARGV[1]) then return {} end
  return {window[1], string.format('%.0f', sumHeld(KEYS[2], window[2])), window[2]}`,
});

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

/** Returns the number of windows. */
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
  local reply = {}
  for _, subject in ipairs(redis.call('ZRANGEBYSCORE', subjectsKey, '(' .. nowMs, '+inf')) do
    local owner = kind .. ':' .. subject
    local window = redis.call('HMGET', keyStart .. 'window:' .. owner, 'used', 'resetAtMs')
    if window[1] then
      local held = sumHeld(keyStart .. 'held:' .. owner, window[2])
      for _, value in ipairs({subject, window[1], string.format('%.0f', held), window[2]}) do table.insert(reply, value) end
    end
  end
  return reply`,
});
