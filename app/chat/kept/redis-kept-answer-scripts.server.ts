import { defineScript } from "~/platform/redis/redis-script.server";
import type { Conversation } from "./kept-answer-store.server";

/** All keys of kept answers share a tag in braces, so that a cluster keeps them on one server, where scripts can. */
const tag = "{kept}";

export const keptKeys = {
  /** The id of its newest answer. */
  conversation: ({ owner, conversationId }: Conversation) => `${tag}:conversation:${owner}:${conversationId}`,
  /**
   * conversationKey, openKey, proofHash, headers, leaseUntilMs, lastId, usedTokens, isStopAsked, previous (the
   * conversation's answer before it); ended: endingId, isBroken, expiresAtMs
   */
  answer: (replyId: string) => `${tag}:answer:${replyId}`,
  /** A stream of pieces: each entry has the id of its last event, and holds that of its first. */
  events: (replyId: string) => `${tag}:events:${replyId}`,
  /** The answers under way of one client, ordered by the ends of their leases. */
  open: (openFor: string) => `${tag}:open:${openFor}`,
  /** The same of all clients. */
  underWay: `${tag}:under-way`,
};

/** For scripts that learn only from a conversation what its answer is. */
export const keptKeyStart = `${tag}:`;

/** By Redis' own clock, which is one for all processes: whoever wrote last knows it as well as who reads next. */
const readNow = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** Not there: false. Otherwise whether it has ended, and whether its writer has the lease. */
const readState = `
  local function readState(answerKey, now)
    local state = redis.call('HMGET', answerKey, 'lastId', 'leaseUntilMs', 'endingId', 'isBroken', 'expiresAtMs')
    if not state[1] then return false end
    local isHeld = not state[3] and tonumber(state[2]) > now
    return {lastId = tonumber(state[1]), isHeld = isHeld, endingId = state[3], isBroken = state[4], expiresAtMs = state[5]}
  end
  local function tellState(state)
    return {state.lastId, state.isHeld and 1 or 0, state.endingId or '', state.isBroken or '0'}
  end`;

const appendPiece = `
  local function appendPiece(keys, piece)
    redis.call('XADD', keys.events, string.format('%.0f-0', piece.lastId), 'first', piece.firstId, 'text', piece.text)
    redis.call('HSET', keys.answer, 'lastId', piece.lastId)
  end`;

/** `keptForMs` after which Redis forgets it; the conversation only where it has no newer answer. */
const finish = `
  local function finish(keys, replyId, ending)
    redis.call('HSET', keys.answer, 'endingId', ending.id, 'isBroken', ending.isBroken, 'expiresAtMs', ending.expiresAtMs)
    local found = redis.call('HMGET', keys.answer, 'conversationKey', 'openKey')
    redis.call('ZREM', found[2], replyId)
    redis.call('ZREM', keys.underWay, replyId)
    redis.call('PEXPIRE', keys.answer, ending.keptForMs)
    redis.call('PEXPIRE', keys.events, ending.keptForMs)
    if redis.call('GET', found[1]) == replyId then redis.call('PEXPIRE', found[1], ending.keptForMs) end
  end`;

/** Answers with the outcome, and where that is an answer's with its id. */
export const beginScript = defineScript({
  name: "kept-begin",
  lua: `${readNow}${readState}
  local conversationKey, answerKey, openKey, underWayKey, keyStart = unpack(KEYS)
  local replyId, maxOpen, leaseMs, longestMs, proofHash = unpack(ARGV)
  local previous = redis.call('GET', conversationKey)
  local state = previous and readState(keyStart .. 'answer:' .. previous, now)
  if state and not state.endingId then
    return {state.isHeld and 'under-way' or 'abandoned', previous}
  end
  redis.call('ZREMRANGEBYSCORE', openKey, '-inf', now)
  if redis.call('ZCARD', openKey) >= tonumber(maxOpen) then return {'too-many'} end

  local leaseUntilMs = string.format('%.0f', now + leaseMs)
  redis.call('HSET', answerKey, 'conversationKey', conversationKey, 'openKey', openKey, 'proofHash', proofHash,
    'headers', '', 'leaseUntilMs', leaseUntilMs, 'lastId', 0, 'usedTokens', 0, 'isStopAsked', 0)
  if state then redis.call('HSET', answerKey, 'previous', previous) end
  redis.call('PEXPIRE', answerKey, longestMs)
  redis.call('SET', conversationKey, replyId, 'PX', longestMs)
  redis.call('ZADD', openKey, leaseUntilMs, replyId)
  redis.call('PEXPIRE', openKey, longestMs)
  redis.call('ZADD', underWayKey, leaseUntilMs, replyId)
  return {'begun'}`,
});

export const discardScript = defineScript({
  name: "kept-discard",
  lua: `
  local answerKey, eventsKey, underWayKey, keyStart = unpack(KEYS)
  local replyId = ARGV[1]
  local found = redis.call('HMGET', answerKey, 'conversationKey', 'openKey', 'lastId', 'endingId', 'previous')
  if not found[1] or found[3] ~= '0' or found[4] then return 0 end
  redis.call('DEL', answerKey, eventsKey)
  redis.call('ZREM', found[2], replyId)
  redis.call('ZREM', underWayKey, replyId)
  if redis.call('GET', found[1]) ~= replyId then return 1 end
  local leftMs = found[5] and redis.call('PTTL', keyStart .. 'answer:' .. found[5]) or 0
  if leftMs > 0 then redis.call('SET', found[1], found[5], 'PX', leftMs) else redis.call('DEL', found[1]) end
  return 1`,
});

/** Nothing where the lease is lost; otherwise the id of the last stored event, and whether a stop was asked for. */
export const appendScript = defineScript({
  name: "kept-append",
  lua: `${readNow}${readState}${appendPiece}${finish}
  local keys = {answer = KEYS[1], events = KEYS[2], underWay = KEYS[3]}
  local replyId, leaseMs, longestMs, firstId, usedTokens, headers, endingId, expiresAtMs, keptForMs = unpack(ARGV, 1, 9)
  local state = readState(keys.answer, now)
  if not state or not state.isHeld then return {} end
  local leaseUntilMs = string.format('%.0f', now + leaseMs)
  local found = redis.call('HMGET', keys.answer, 'openKey', 'isStopAsked')
  redis.call('HSET', keys.answer, 'leaseUntilMs', leaseUntilMs)
  redis.call('ZADD', found[1], 'XX', leaseUntilMs, replyId)
  redis.call('ZADD', keys.underWay, 'XX', leaseUntilMs, replyId)
  if headers ~= '' then redis.call('HSET', keys.answer, 'headers', headers) end

  if tonumber(firstId) ~= state.lastId + 1 then return {state.lastId, found[2]} end
  local lastId = state.lastId
  -- Three values for each piece: the ids of its first and last event, and their text.
  for index = 10, #ARGV, 3 do
    lastId = tonumber(ARGV[index + 1])
    appendPiece(keys, {firstId = ARGV[index], lastId = lastId, text = ARGV[index + 2]})
  end
  if state.lastId == 0 then redis.call('PEXPIRE', keys.events, longestMs) end
  redis.call('HSET', keys.answer, 'usedTokens', usedTokens)
  if endingId ~= '' then
    finish(keys, replyId, {id = endingId, isBroken = 0, expiresAtMs = expiresAtMs, keptForMs = keptForMs})
  end
  return {lastId, found[2]}`,
});

/** Nothing where there is none. */
export const findScript = defineScript({
  name: "kept-find",
  lua: `${readNow}${readState}
  local replyId = redis.call('GET', KEYS[1])
  local state = replyId and readState(KEYS[2] .. 'answer:' .. replyId, now)
  if not state or (state.expiresAtMs and tonumber(state.expiresAtMs) <= tonumber(ARGV[1])) then return {} end
  local headers = redis.call('HGET', KEYS[2] .. 'answer:' .. replyId, 'headers')
  return {replyId, headers or '', unpack(tellState(state))}`,
});

/** Nothing where there is no such answer; otherwise its state, and what was appended: the first ids and texts of pieces. */
export const readScript = defineScript({
  name: "kept-read",
  lua: `${readNow}${readState}
  local nowMs, afterId, maxBytes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local state = readState(KEYS[1], now)
  if not state or (state.expiresAtMs and tonumber(state.expiresAtMs) <= nowMs) then return {} end
  local answer, bytes, nextId = tellState(state), 0, afterId + 1
  while bytes < maxBytes do
    local entries = redis.call('XRANGE', KEYS[2], string.format('%.0f', nextId), '+', 'COUNT', 16)
    for _, entry in ipairs(entries) do
      local firstId, text = entry[2][2], entry[2][4]
      if bytes > 0 and bytes + #text > maxBytes then return answer end
      bytes = bytes + #text
      table.insert(answer, firstId)
      table.insert(answer, text)
      nextId = tonumber(string.match(entry[1], '^%d+')) + 1
    end
    if #entries < 16 then return answer end
  end
  return answer`,
});

/** The answer's id, or an empty text where none is under way. */
export const askToStopScript = defineScript({
  name: "kept-ask-to-stop",
  lua: `${readNow}${readState}
  local replyId = redis.call('GET', KEYS[1])
  local answerKey = replyId and KEYS[2] .. 'answer:' .. replyId
  local state = replyId and readState(answerKey, now)
  if not state or not state.isHeld then return '' end
  redis.call('HSET', answerKey, 'isStopAsked', 1)
  return replyId`,
});

/** The ids of the answers. */
export const askToStopSessionScript = defineScript({
  name: "kept-ask-to-stop-session",
  lua: `${readNow}${readState}
  local openKey, keyStart, conversationStart = unpack(KEYS)
  local asked = {}
  for _, replyId in ipairs(redis.call('ZRANGE', openKey, 0, -1)) do
    local answerKey = keyStart .. 'answer:' .. replyId
    local state = readState(answerKey, now)
    local of = redis.call('HMGET', answerKey, 'proofHash', 'conversationKey')
    local isOwn = of[1] == ARGV[1] and string.sub(of[2] or '', 1, #conversationStart) == conversationStart
    if state and state.isHeld and isOwn then
      redis.call('HSET', answerKey, 'isStopAsked', 1)
      table.insert(asked, replyId)
    end
  end
  return asked`,
});

/** What it used, or -1 where it is not there, has ended, or has a writer. */
export const concludeScript = defineScript({
  name: "kept-conclude",
  lua: `${readNow}${readState}${appendPiece}${finish}
  local keys = {answer = KEYS[1], events = KEYS[2], underWay = KEYS[3]}
  local replyId, expiresAtMs, keptForMs, eventCount, text = unpack(ARGV)
  local state = readState(keys.answer, now)
  -- A Redis short of memory, or restarted from an older state, may have dropped it.
  if not state then redis.call('ZREM', keys.underWay, replyId) end
  if not state or state.endingId or state.isHeld then return -1 end
  appendPiece(keys, {firstId = state.lastId + 1, lastId = state.lastId + eventCount, text = text})
  finish(keys, replyId, {id = state.lastId + 1, isBroken = 1, expiresAtMs = expiresAtMs, keptForMs = keptForMs})
  return redis.call('HGET', keys.answer, 'usedTokens')`,
});

export const listAbandonedScript = defineScript({
  name: "kept-list-abandoned",
  lua: `${readNow}
  return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])`,
});

/** Three values for each that is there: its id, what it used, and 1 where it is under way. */
export const findUsagesScript = defineScript({
  name: "kept-find-usages",
  lua: `
  local answer = {}
  for _, replyId in ipairs(ARGV) do
    local found = redis.call('HMGET', KEYS[1] .. 'answer:' .. replyId, 'usedTokens', 'endingId')
    if found[1] then
      for _, value in ipairs({replyId, found[1], found[2] and 0 or 1}) do table.insert(answer, value) end
    end
  end
  return answer`,
});
