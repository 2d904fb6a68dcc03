/* eslint-disable -- Generated from the API description by `npm run client:types`; never edited. */
export type paths = {
  "/api/nonce": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a nonce to sign in with
     * @description Each call issues a new nonce, bound to the client that asked. Put it into an EIP-4361 message, sign that, and send both to `POST /api/gate-access`.
     *
     *     Each client may call this 30 times in 60 seconds.
     */
    get: operations["getNonce"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/gate-access": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Prove that you hold a key, and get what it opens
     * @description One of three proofs opens the gate, at a host of this gate's own: at any other each is 401.
     *
     *     1. **Bearer token**: `Authorization: Bearer <token>`, with or without a body. A header that is present has to be right; nothing falls through to the body.
     *     2. **Sign-in with Ethereum**: `address`, `signature`, `tokenId`, `message` and `nonce`. The message is an EIP-4361 message, version 1, for this gate's domain, origin and chain, not older than 10 minutes, with the nonce from `GET /api/nonce`. An `Expiration Time` ends what the message may be used for, and renewals; the token lives as long as any other.
     *     3. **Legacy signature**: `address`, `signature`, `tokenId` and `timestamp`. Signed (EIP-191) are these six lines, joined by single newlines:
     *
     *     ```
     *     I own key #<tokenId>
     *     Domain: <host[:port]>
     *     Path: /api/gate-access
     *     Method: POST
     *     ChainId: <chain id>
     *     Timestamp: <number as sent>
     *     ```
     *
     *     Where a gate has several kinds of keys, `key` names one: the first that `GET /api/keys` lists is meant by default. The chain is the kind's, and the lines of a legacy signature end with `Key: <name>` for every kind but the first. Of a membership, which has no token, the key's id is the holder's address as a decimal number; leave `tokenId` out. A delegate of the holder names the holder in `vault`. What is missing is told in `requirements` of the 403, to an address that was proven. A kind that does not open the room gets a token and empty content.
     *
     *     Signatures may be of ordinary wallets, of contract wallets (EIP-1271), and of contract wallets that are not deployed yet (ERC-6492), if their factory is one that this gate accepts. The token of such a wallet carries the claim `undeployed: true`, and uses its key up only once the wallet has code. Then the chain is asked who holds the key, at each call.
     *
     *     The body may hold 1000 members and elements in all, and be nested 64 levels deep.
     *
     *     Each client may call this 60 times in 60 seconds.
     */
    post: operations["openGate"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/form-submission-gate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send the one-time form
     * @description Uses up the key: each opens this form once, and never the gate again afterwards. The message is kept, and whoever runs the gate is told.
     *
     *     The signature is over the six lines of a legacy sign-in with `Path: /api/form-submission-gate`. When `messageHash` is sent, `Message: <messageHash>` is the seventh line; without it the message itself is not signed, which a gate may refuse. For every kind of key but the first, `Key: <name>` is the last line, and each signature is accepted once. Delegates may send the form only where the kind says so, and kinds that do not open the room have none.
     *
     *     The body may hold 1000 members and elements in all, and be nested 64 levels deep.
     *
     *     Each client may call this 10 times in 60 seconds.
     */
    post: operations["submitForm"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/token-status/{tokenId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Ask whether a key exists and was used
     * @description Says nothing of who holds the key. A key that does not exist is an answer too, not a 404. Of a membership every address exists: only whether it was used is told.
     *
     *     Each client may call this 60 times in 60 seconds.
     */
    get: operations["getTokenStatus"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/.well-known/jwks.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the keys that verify access tokens
     * @description The signing key and the retired ones whose tokens may still be alive.
     */
    get: operations["getPublicKeys"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/keys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the kinds of keys
     * @description Which keys open this gate, what each asks for besides and what it opens. Addresses on lists, and what the operator keeps secret, are not told. A gate with one kind lists that one.
     *
     *     Each client may call this 60 times in 60 seconds.
     */
    get: operations["listKeys"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/session": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Ask whether this browser is signed in
     * @description Asks the chain too: a key that has left the wallet or was used up has ended the session, and the answer says so. It changes no cookie.
     *
     *     Each client may call this 300 times in 60 seconds.
     */
    get: operations["getSession"];
    put?: never;
    /**
     * Begin, renew or use the session
     * @description With an access token in the Authorization header and no body, that token becomes the session. With `renew` the token in the cookie is replaced by a younger one, on the same signature, as long as the key is held and unused, and no further than the operator's `SESSION_MAX_SECONDS` since the signature, nor than an `Expiration Time` that was signed. A renewal for less than 300 seconds is refused with 401. So is a token whose key was used up or has left the wallet, which `open` alone answers with 403, as the gate does. With `open` the answer is that of `POST /api/gate-access`. With `door` and `start` the answer is where the browser goes on to, on a site that this gate opens, with a code that is good once, and the token in the cookie is renewed as far as a renewal may; a site opens to its own kinds of keys, and to whoever meets a membership that opens it. Each asks the chain.
     *
     *     The body may hold 1000 members and elements in all, and be nested 64 levels deep.
     *
     *     Each client may call this 60 times in 60 seconds.
     */
    post: operations["keepSession"];
    /**
     * Sign out
     * @description Makes this browser forget the token, whatever became of it. The token itself ends with its time, or with its key; where there are sites behind the door, all that goes back to its signature ends now, on every site. Answers that the session began and that are under way are stopped.
     *
     *     Each client may call this 300 times in 60 seconds.
     */
    delete: operations["endSession"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/door": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Ask whether a visitor of a site may come in
     * @description For the proxy in front of a site, which must be trusted by `TRUST_PROXY`. What the visitor asked for stands in `X-Forwarded-Proto`, `-Host`, `-Uri` and `-Method`, or in `X-Original-URL` and `X-Original-Method`; where both are sent, they must agree. The visitor's own headers come along. Nothing of this answers 200 but a visitor who holds a key of the site.
     */
    get: operations["askDoor"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/.latchkey/start": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Begin the way into a site
     * @description On the site's host. Gives the browser a cookie by which the site knows it again, and leads to the gate.
     */
    get: operations["startSite"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/.latchkey/enter": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Come back into a site
     * @description On the site's host. The code of `POST /session` becomes the site's cookie, once, within a minute, and in the browser that began. A code that is not good is a page with the way to the start.
     *
     *     Each client may call this 120 times in 60 seconds.
     */
    get: operations["enterSite"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/.latchkey/leave": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Leave a site
     * @description On the site's host. Takes the site's cookie back from whoever opens it themselves, and leads to the gate.
     */
    get: operations["leaveSite"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/media/{tokenId}/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Play or show a file of the room
     * @description The addresses come with the content, signed for one key and for a short time; they cannot be made up. `file` may hold slashes. Range requests and conditional requests work.
     */
    get: operations["getMedia"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/sandbox": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the frame that the room's script runs in
     * @description For a frame with `sandbox="allow-scripts"` on a page of this gate. The same for everybody, and empty: the page hands the script over by postMessage.
     */
    get: operations["getSandbox"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/chat": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask the assistant
     * @description Asks the assistant, and streams what it says as server-sent events that the AI SDK's `useChat` reads as they are.
     *
     *     The last message of the conversation is the question. Messages are `{role, content}`, or what `useChat` sends (`parts`); of parts, text and the assistant's tool calls with their results are taken. At least one message of the user must hold text, and no message more than 32000 characters. All messages together hold at most 1000 parts. A `system` message is taken as context the person sends along; it does not replace the operator's own instructions.
     *
     *     **Who may.** Where the operator requires it, an access token: in the Authorization header, `jwt` or `data.jwt` of the body, a cookie `access_token` or `jwt`, or the query `jwt`. The first of these that is present decides. With each use the key has to be in the wallet still: a token whose key is gone is 401 like any other bad one, and while the chain cannot be asked the answer is 503. Where none is required, whoever sends a bad one, or one that cannot be judged, is served as a stranger.
     *
     *     **Quota.** Where it is in force, the headers `X-Quota-Limit`, `X-Quota-Remaining` and `X-Quota-Reset` tell where the key stands, the most this answer can take already set aside.
     *
     *     **Resumable answers.** With an `id` and the header `X-Chat-Resumable: 1` the answer goes on without its reader, and can be taken up again or stopped. It carries `X-Reply-Id`, and each event has a line `id:` before its `data:`, counted from 1. A client may name its answer in the request's own `X-Reply-Id`, 16 to 64 letters, digits, `_` and `-`, so that it can take up what it has not seen begin; a name that is taken is refused. A conversation has at most one under way. Where answers are not kept, the header is ignored.
     *
     *     What can be refused is refused before the stream opens, in the shape `{error}`. A provider that says nothing for ten seconds no longer holds the stream back: it begins with `start`, and what fails from then on is an `error` event. An answer without text and without a tool call is a failure, before the stream or in it.
     *
     *     The body may hold 10000 members and elements in all, and be nested 64 levels deep.
     *
     *     Each client may call this 20 times in 60 seconds.
     */
    post: operations["chat"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/chat/{id}/stream": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Take up an answer again
     * @description The newest answer of a conversation that began as resumable: everything, or what comes after the event that was read last; then live, to its end. Events, ids and headers are those that the first reader got, whichever instance is asked; `X-Quota-*` say where the key stood when the answer began. Of headers only those of the rate limit, of the request's id and of the date are this request's own.
     *
     *     An answer belongs to the key and the wallet whose token it began with; a renewed token of both is as good. Where it began without one, the id of the conversation alone decides. Where none is required, whoever sends a bad one, or one that cannot be judged, is served as a stranger.
     *
     *     Whoever has seen more than was stored when the server that wrote an answer ended gets its ending all the same: an `error` event, `finish` and the end mark, with ids that go on from what was stored. Whoever is cut off within such an ending gets it again.
     *
     *     Each client may call this 120 times in 60 seconds.
     */
    get: operations["resumeChat"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/chat/{id}/stop": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Stop an answer
     * @description Ends the answer of a conversation that is under way, for all who read it: the text so far, `finish` with the reason `stop`, and the end mark. The quota counts what was said. No body is read. With `X-Reply-Id`: only the answer of that name; if its question is still on its way, it cannot begin any more.
     *
     *     An answer belongs to the key and the wallet whose token it began with; a renewed token of both is as good. Where it began without one, the id of the conversation alone decides. Where none is required, whoever sends a bad one, or one that cannot be judged, is served as a stranger.
     *
     *     Each client may call this 120 times in 60 seconds.
     */
    post: operations["stopChat"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/models": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the models
     * @description What `model` may name in a chat, in the order that `modelIndex` counts from 1. Public where chat is; where chat requires an access token, so does this. The token is looked for in the Authorization header, the cookies `access_token` and `jwt`, and the query `jwt`, in this order; the first one present decides.
     *
     *     Each client may call this 60 times in 60 seconds.
     */
    get: operations["listModels"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/tts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Read a text aloud
     * @description Reads a text aloud. Audio is sent as it is made: playing can begin with the first byte.
     *
     *     Markdown is cleaned for the ear: links are read by their words, tables row by row, and code blocks, addresses and emoji are left out. The result has at most 4000 characters, and at most twice those of `text`; a longer one is cut at a sentence, with the header `X-Speech-Cut`.
     *
     *     **An answer sentence by sentence.** A client may send the parts of a longer text one by one, each with a `messageId` of its own such as `msg_1:0`, `msg_1:1`; the id comes back in `X-Message-Id`, so that answers can be told apart.
     *
     *     **Who may.** Everybody, or where the operator requires it who sends an access token. Where none is required, whoever sends a bad one, or one that cannot be judged, is served as a stranger.
     *
     *     **Quota.** Where it is in force, each key may have so many characters spoken, of the text that the provider gets; the headers `X-Quota-Limit`, `X-Quota-Remaining` and `X-Quota-Reset` tell where it stands, failures before the first byte included. A text counts from the moment the provider is asked for it, also for whoever leaves before its first byte. What is repeated from the cache, what somebody else is just having spoken, and what failed before its first byte is not counted.
     *
     *     A failure before the first byte is answered in the shape `{error, details}`. After it the connection is cut, so that half a recording never looks whole. The embedded voice knows English; text in other scripts is refused with 422.
     *
     *     The body may hold 1000 members and elements in all, and be nested 64 levels deep.
     *
     *     Each client may call this 20 times in 60 seconds.
     */
    post: operations["speak"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/quota": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Ask how much is left
     * @description The token is looked for in the Authorization header, the cookies `access_token` and `jwt`, and the query `jwt`, in this order; the first one present decides. Its key has to be in the wallet still.
     *
     *     Each client may call this 60 times in 60 seconds.
     */
    get: operations["getQuota"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/quota-reset": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Reset quotas
     * @description For the operator. The secret is looked for in `x-quota-reset-secret`, `x-ai-quota-reset-secret`, `Authorization: Bearer`, the body's `secret` and the query's `secret`; the first one present decides.
     *
     *     The body may hold 1000 members and elements in all, and be nested 64 levels deep.
     *
     *     Each client may call this 5 times in 60 seconds.
     */
    post: operations["resetQuotas"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/mcp": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * List and call tools
     * @description Lists the tools and runs them, for programs and for clients of the Model Context Protocol.
     *
     *     **Bare JSON-RPC** (no `jsonrpc`): the answer is `{result}` or `{error: {code, message}}`, nothing else.
     *
     *     **MCP** (`jsonrpc: "2.0"`): Streamable HTTP, without sessions and with JSON answers; revisions 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05. One message in each request; notifications get 202.
     *
     *     **Who may.** Where the operator requires it for the conversation, an access token: in the Authorization header, `jwt` or `data.jwt` of the body, a cookie `access_token` or `jwt`, or the query `jwt`. The first of these that is present decides. With each use the key has to be in the wallet still: a token whose key is gone is 401 like any other bad one, and while the chain cannot be asked the answer is 503. A token that is sent has to be right even where none is required. Tools about one's own key need one always.
     *
     *     **Hosts.** The host that is named, and the origin where one is sent, must be the site's own.
     *
     *     | Code | Meaning |
     *     |---|---|
     *     | -32700 | not JSON (400) |
     *     | -32600 | not a message, or a batch; more than one Authorization header (400) |
     *     | -32601 | no such method |
     *     | -32602 | bad parameters: no such tool, arguments that do not fit |
     *     | -32001 | the access token is missing or not good (401) |
     *     | -32000 | a tool failed, in an answer to a bare message (200); too many requests (429), or something is away for a moment (503) |
     *     | -32603 | a defect of ours (500) |
     *     | -32020, -32022 | headers and message disagree; a revision that is not supported (400) |
     *
     *     A tool that fails says in words what was wrong: to a bare message as `{error: {code: -32000, message}}`, to MCP clients as a result with `isError: true`. From revision 2025-11-25 on, those are told of arguments that do not fit in the same way. An answer of more than 768 KiB is such a failure; what is shorter is handed on whole.
     *
     *     The body may hold 5000 members and elements in all, and be nested 64 levels deep.
     *
     *     Each client may call this 60 times in 60 seconds.
     */
    post: operations["callTools"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/.well-known/oauth-protected-resource/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read how the tools take access tokens
     * @description Protected resource metadata (RFC 9728) of the tools' address, which stands behind the well-known path: `/.well-known/oauth-protected-resource/api/mcp`. Without it the same is answered. There is no authorization server: tokens are made at `POST /api/gate-access`.
     */
    get: operations["getProtectedResource"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/settings": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what a client needs to sign
     * @description The chain, the contract and the standard of the keys. Nothing here is secret.
     */
    get: operations["getSettings"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/openapi": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read this description
     * @description The OpenAPI 3.0.3 description of this gate. A page to read and try it is at `/docs`.
     */
    get: operations["getOpenApi"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/healthz": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Ask whether the process lives
     * @description Touches nothing outside the process. Answers while the server is still starting, too.
     */
    get: operations["getHealth"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/readyz": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Ask whether the service can answer
     * @description Asks the database, the chain, how long ago transfers of keys were read, and the providers that are not switched off. One asking is shared by everybody for a second. Answers while the server is still starting, too.
     */
    get: operations["getReadiness"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/metrics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the measurements
     * @description For Prometheus. Only where the operator has set METRICS_TOKEN; else this address is empty.
     */
    get: operations["getMetrics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/manifest.webmanifest": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read what a home screen shows
     * @description Name, colours and icons, as the operator has set them.
     */
    get: operations["getManifest"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/sw.js": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Load the service worker
     * @description Keeps the page that says one is offline, and nothing else. Where the operator wants none, a worker that takes itself back.
     */
    get: operations["getServiceWorker"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/brand/{version}/{file}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Load the operator's logo, icon or accent
     * @description Addresses stand in the pages. They change with the files, and may be kept for as long.
     */
    get: operations["getBrandFile"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/demo/faucet": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Get test money
     * @description Fills a wallet with worthless money of the demo's chain, so that it can pay for minting, or gives it some of a token that a key asks for.
     *
     *     The body may hold 1000 members and elements in all, and be nested 64 levels deep.
     */
    post: operations["fillWallet"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/demo/rpc": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask the demo's chain
     * @description JSON-RPC to the demo's chain: reading, and sending what a wallet has signed.
     *
     *     The body may hold 1000 members and elements in all, and be nested 64 levels deep.
     */
    post: operations["askDemoChain"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
};
export type webhooks = Record<string, never>;
export type components = {
  schemas: {
    Nonce: {
      /** @description Good for one sign-in, for 5 minutes, by the client it was issued to. */
      nonce: string;
    };
    /** @description Problem Details (RFC 9457). */
    Problem: {
      /**
       * Format: uri
       * @description Names the kind of problem. The address opens a page that explains it.
       */
      type: string;
      /** @description The kind of problem in a few words; the same for every problem of this type. */
      title: string;
      /** @description The HTTP status. */
      status: number;
      /** @description What was wrong with this request, and what to do about it. */
      detail: string;
      /** @description The id of the request, as in X-Request-Id. Name it when you report a problem. */
      instance: string;
      /** @description Bodies that do not fit only: what is wrong with which field; of very much the first. */
      errors?: {
        /** @description The field, with dots between levels; empty for the body as a whole. */
        path: string;
        message: string;
      }[];
      /** @description Bodies that are too large only: the limit in bytes. */
      maxBytes?: number;
    };
    /** @description Problem Details of a rate limit. */
    RateLimitProblem: {
      /**
       * Format: uri
       * @description Names the kind of problem. The address opens a page that explains it.
       */
      type: string;
      /** @description The kind of problem in a few words; the same for every problem of this type. */
      title: string;
      /** @description The HTTP status. */
      status: number;
      /** @description What was wrong with this request, and what to do about it. */
      detail: string;
      /** @description The id of the request, as in X-Request-Id. Name it when you report a problem. */
      instance: string;
      /** @description Requests the limit allows in its window. */
      limit: number;
      /** @description Requests that are left in the window. */
      remaining: number;
      /** @description Seconds to wait, as in the Retry-After header. */
      retryAfter: number;
    };
    Admission: {
      /** @enum {boolean} */
      success: true;
      /** @enum {string} */
      access: "granted";
      /** @description The access token. Only after a sign-in; a call with a Bearer token gets no new one. */
      accessToken?: string;
      content: components["schemas"]["GatedContent"];
    };
    /** @description The gated payload. A part that is missing or broken on the server is empty; of the audio part only what is missing. */
    GatedContent: {
      /** @description Markdown source, without front matter, readable as plain text. Its relative images point at signed, short-lived addresses. Render it, then sanitise the result. */
      welcomeText: string;
      /** @description HTML fragment of the one-time form, sanitised on delivery; ids and names begin with `room-`. Sanitise it again before insertion. */
      textSubmissionAreaHtml: string;
      /** @description The audio part of the room. */
      audioData: {
        headline: string;
        /** @description Signed, short-lived address of the picture; empty when there is none. */
        imageSrc: string;
        imageAlt: string;
        description: string;
        title: string;
        /** @description Signed, short-lived address of the sound, with Range support; empty when there is no sound to play. */
        audioSrc: string;
        /** @description True when there is no sound to play: `audioSrc` is then empty, and the other members hold what there is. */
        error: boolean;
      };
      /** @description CSS text, written for a scoped container. Insert it as text, never by concatenation into HTML. */
      styles: string;
      /** @description JavaScript text, written for a sandboxed frame of opaque origin. Never run it elsewhere. */
      script: string;
    };
    /** @description Problem Details of a key that is not held. `requirements` is there where kinds of keys have names and the kind is not met. */
    NotHeldProblem: {
      /**
       * Format: uri
       * @description Names the kind of problem. The address opens a page that explains it.
       */
      type: string;
      /** @description The kind of problem in a few words; the same for every problem of this type. */
      title: string;
      /** @description The HTTP status. */
      status: number;
      /** @description What was wrong with this request, and what to do about it. */
      detail: string;
      /** @description The id of the request, as in X-Request-Id. Name it when you report a problem. */
      instance: string;
      /** @description Bodies that do not fit only: what is wrong with which field; of very much the first. */
      errors?: {
        /** @description The field, with dots between levels; empty for the body as a whole. */
        path: string;
        message: string;
      }[];
      /** @description Bodies that are too large only: the limit in bytes. */
      maxBytes?: number;
      requirements?: components["schemas"]["RequirementReport"];
    };
    /** @description What a key asks for, as a tree, with what came out for the wallet that was proven. */
    RequirementReport:
      | components["schemas"]["RequirementLeafReport"]
      | components["schemas"]["SecretRequirement"]
      | {
          /**
           * @description `unknown`: it cannot be checked right now.
           * @enum {string}
           */
          outcome: "met" | "unmet" | "unknown";
          all: components["schemas"]["RequirementReport"][];
        }
      | {
          /**
           * @description `unknown`: it cannot be checked right now.
           * @enum {string}
           */
          outcome: "met" | "unmet" | "unknown";
          any: components["schemas"]["RequirementReport"][];
        }
      | {
          /**
           * @description `unknown`: it cannot be checked right now.
           * @enum {string}
           */
          outcome: "met" | "unmet" | "unknown";
          not: components["schemas"]["RequirementReport"];
        };
    RequirementLeafReport: {
      label: string;
      /**
       * @description `unknown`: it cannot be checked right now.
       * @enum {string}
       */
      outcome: "met" | "unmet" | "unknown";
      /** @description The amount in base units, or `valid membership`. Left out for lists of addresses. */
      needed?: string | "valid membership";
      /** @description The amount in base units, where it could be read. */
      held?: string;
      /** @description How many of the amounts' digits are behind the point. */
      decimals?: number;
      chainId?: number;
      /** @description Where to get what is asked for. */
      get?: {
        url: string;
        text: string;
      };
    };
    /** @description Something the operator does not tell. */
    SecretRequirement: {
      /** @enum {boolean} */
      secret: true;
    };
    GateAccessRequest:
      | components["schemas"]["SiweSignIn"]
      | components["schemas"]["LegacySignIn"]
      | components["schemas"]["BearerCall"];
    /** @description Sign-in with Ethereum (EIP-4361). The nonce is used up by the attempt, whether it succeeds or not. */
    SiweSignIn: {
      /** @description Wallet address of the signer. */
      address: string;
      /** @description Signature in hex. */
      signature: string;
      tokenId?: components["schemas"]["TokenId"];
      /** @description The EIP-4361 message that was signed, to the letter. */
      message: string;
      /** @description The nonce from GET /api/nonce, which the message contains. */
      nonce: string;
      /** @description The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists. */
      key?: string;
      /** @description The wallet that holds the key, where the signer is only its delegate (delegate.xyz, registry version 2). Only for kinds that allow delegates. */
      vault?: string;
    };
    /** @description A uint256, as decimal digits (at most 78, up to 2^256-1) or as a JSON integer up to 2^53-1. Answers always hold the digits. */
    TokenId: string | number;
    /** @description The older timestamped signature. Each is accepted once, within 5 minutes. */
    LegacySignIn: {
      /** @description Wallet address of the signer. */
      address: string;
      /** @description Signature in hex. */
      signature: string;
      tokenId?: components["schemas"]["TokenId"];
      /** @description Milliseconds since the epoch, exactly as it stands in the signed text. Values below 1,000,000,000,000 are read as seconds. */
      timestamp: number;
      /** @description The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists. */
      key?: string;
      /** @description The wallet that holds the key, where the signer is only its delegate (delegate.xyz, registry version 2). Only for kinds that allow delegates. */
      vault?: string;
    };
    /** @description Beside a Bearer token. A `tokenId` must be the token's own; the body may be left out. */
    BearerCall: {
      tokenId?: components["schemas"]["TokenId"];
      /** @description The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists. */
      key?: string;
    };
    SubmissionAccepted: {
      /** @enum {boolean} */
      success: true;
      /** @enum {string} */
      message: "Access granted";
    };
    /** @description A message, and the legacy signature over the address it is sent to. */
    FormSubmission: {
      tokenId?: components["schemas"]["TokenId"];
      message: string;
      /** @description Signature in hex. */
      signature: string;
      /** @description Wallet address of the signer. */
      address: string;
      /** @description Milliseconds since the epoch, exactly as it stands in the signed text. Values below 1,000,000,000,000 are read as seconds. */
      timestamp: number;
      /** @description keccak256 of the message. When sent, it is the seventh line of the signed text. */
      messageHash?: string;
      /** @description The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists. */
      key?: string;
      /** @description The wallet that holds the key, where the signer is only its delegate (delegate.xyz, registry version 2). Only for kinds that allow delegates. */
      vault?: string;
    };
    TokenStatus: {
      tokenId: string;
      /** @description Whether the key exists on the chain. */
      exists: boolean;
      /** @description 1 where the key exists, else 0. */
      count: 0 | 1;
      /** @description Whether the one-time form was used with it. */
      used: boolean;
      usedBy: string | null;
      /** @description ISO 8601, UTC. */
      usedAt: string | null;
    };
    PublicKeys: {
      /** @description Empty where tokens are signed with a shared secret. */
      keys: components["schemas"]["PublicKey"][];
    };
    /** @description A JSON Web Key (RFC 7517). */
    PublicKey: {
      /** @enum {string} */
      kty: "EC" | "OKP";
      crv: string;
      x: string;
      y?: string;
      kid: string;
      /** @enum {string} */
      alg: "ES256" | "EdDSA";
      /** @enum {string} */
      use: "sig";
    };
    KeyKinds: {
      /** @description Never none; the first is meant where a request names none. */
      keys: components["schemas"]["KeyKind"][];
    };
    /** @description `requires` is what makes a wallet hold a membership; `also`, what the wallet that holds a key with a token needs besides. */
    KeyKind: {
      /** @description What `key` names in a request. */
      name: string;
      title: string;
      /**
       * @description `membership`: no token of its own; whoever meets `requires` holds it.
       * @enum {string}
       */
      standard: "erc721" | "erc1155" | "unlock" | "erc4907" | "membership";
      /** @description The chain that a signed message names. */
      chainId: number;
      /** @description Left out for memberships. */
      contract?: string;
      requires?: components["schemas"]["Requirement"];
      also?: components["schemas"]["Requirement"];
      /** @description What is offered here, such as `room` or `tts`, or `door:<host>`. */
      opens: string[];
      /** @description Where to get what is asked for. */
      get?: {
        url: string;
        text: string;
      };
    };
    /** @description What a wallet has to hold, as a tree. */
    Requirement:
      | {
          label: string;
          /** @description Where to get what is asked for. */
          get?: {
            url: string;
            text: string;
          };
          chainId: number;
          /** @description In base units. */
          atLeast: string;
          erc721: string;
        }
      | {
          label: string;
          /** @description Where to get what is asked for. */
          get?: {
            url: string;
            text: string;
          };
          chainId: number;
          /** @description In base units. */
          atLeast: string;
          erc20: string;
        }
      | {
          label: string;
          /** @description Where to get what is asked for. */
          get?: {
            url: string;
            text: string;
          };
          chainId: number;
          /** @description In base units. */
          atLeast: string;
          erc1155: string;
          tokenId: string;
        }
      | {
          label: string;
          /** @description Where to get what is asked for. */
          get?: {
            url: string;
            text: string;
          };
          chainId: number;
          /** @description In base units. */
          atLeast: string;
          /** @enum {boolean} */
          native: true;
        }
      | {
          label: string;
          /** @description Where to get what is asked for. */
          get?: {
            url: string;
            text: string;
          };
          chainId: number;
          unlock: string;
        }
      | {
          label: string;
          /** @description Where to get what is asked for. */
          get?: {
            url: string;
            text: string;
          };
          /** @enum {boolean} */
          list: true;
        }
      | components["schemas"]["SecretRequirement"]
      | {
          all: components["schemas"]["Requirement"][];
        }
      | {
          any: components["schemas"]["Requirement"][];
        }
      | {
          not: components["schemas"]["Requirement"];
        };
    Session: components["schemas"]["SignedIn"] | components["schemas"]["SignedOut"];
    SignedIn: {
      /** @enum {boolean} */
      signedIn: true;
      /** @description The key. */
      tokenId: string;
      /** @description The wallet, in lower case. */
      address: string;
      /** @description The name of the key's kind; absent where kinds have no names. */
      key?: string;
      /** @description The wallet that holds the key, in lower case, where the session is a delegate's. */
      vault?: string;
      /** @description When the token in the cookie ends. ISO 8601, UTC. */
      expiresAt: string;
      /** @description Seconds until then, by the server's clock. */
      secondsLeft: number;
      /** @description No token lasts beyond this without a new signature, and in the last 300 seconds none is renewed. ISO 8601, UTC. */
      renewableUntil: string;
      /** @description Whether a renewal now would make the session last longer. */
      isRenewable: boolean;
    };
    SignedOut: {
      /** @enum {boolean} */
      signedIn: false;
      /** @description Why the session in the cookie is over, as the members of a Problem; absent without a cookie. */
      ended?: {
        type: string;
        title: string;
        status: number;
        detail: string;
      };
    };
    SessionKept:
      components["schemas"]["SignedIn"] | components["schemas"]["Admission"] | components["schemas"]["GoTo"];
    GoTo: {
      /** @description Where the browser goes on to. Good once, for a minute. */
      goTo: string;
    };
    SessionRequest: {
      /**
       * @description Get what the key opens, as `POST /api/gate-access` answers it.
       * @enum {boolean}
       */
      open?: true;
      /**
       * @description Get a younger token into the cookie, without a signature.
       * @enum {boolean}
       */
      renew?: true;
      /** @description Go on to this address, on a site that this gate opens; with `start`. */
      door?: string;
      /** @description The digest of the cookie that the site gave the browser, as the site wrote it. */
      start?: string;
    };
    /** @description How the chat refuses. */
    ChatError: {
      /** @description The error, in words that stay the same. */
      error: string;
      /** @description Failures of the answer: what happened, free of secrets. Of a quota: that it is only set aside. May change. */
      details?: string;
      /** @description 429 only: requests, or tokens, that are left. */
      remaining?: number;
      /** @description 429 only: when to come back, ISO 8601 in UTC. */
      resetAt?: string;
      /** @description Messages that do not fit, and bodies that hold too much, only: what is wrong, at most 20. */
      errors?: {
        path: string;
        message: string;
      }[];
      /** @description 409 only: the `X-Reply-Id` of the answer that is under way in this conversation. */
      replyId?: string;
      /** @description Bodies that are too large only: the limit in bytes. */
      maxBytes?: number;
    };
    ChatRequest: {
      messages: components["schemas"]["ChatMessage"][];
      /** @description One of the models that `GET /api/models` lists. */
      model?: string | null;
      /** @description Its place in that list, from 1; beyond the ends the nearest. */
      modelIndex?: number | null;
      /** @description Taken, and not looked at. */
      metadata?: Record<string, never> | null;
      /** @description The access token. */
      jwt?: string | null;
      data?: {
        jwt?: string | null;
      } | null;
      /** @description The conversation's, as `useChat` sends it: 16 to 64 letters, digits, `_` and `-` for a resumable answer. */
      id?: string;
      /** @description What `useChat` sends along; not looked at. */
      trigger?: string;
    };
    /** @description With `content` or `parts`; where both are, `parts` count. */
    ChatMessage: {
      id?: string;
      /** @enum {string} */
      role: "system" | "user" | "assistant";
      content?:
        | string
        | {
            /** @description `text`, or an assistant's `tool-<name>` or `dynamic-tool` as the AI SDK has them, in the state `output-available`, `output-error` or `input-available`. Others are dropped, and nothing in them is fetched. */
            type: string;
            /** @description Needed in a part of the type `text`. */
            text?: string;
          }[];
      parts?: {
        /** @description `text`, or an assistant's `tool-<name>` or `dynamic-tool` as the AI SDK has them, in the state `output-available`, `output-error` or `input-available`. Others are dropped, and nothing in them is fetched. */
        type: string;
        /** @description Needed in a part of the type `text`. */
        text?: string;
      }[];
    };
    Models: {
      /** @enum {string} */
      object: "list";
      /** @description In the order that `modelIndex` counts; the first is the default. */
      data: {
        /** @description What `model` names. */
        id: string;
        /** @enum {string} */
        object: "model";
      }[];
    };
    ErrorAnswer: {
      [key: string]: unknown;
    };
    /** @description How speech refuses. */
    SpeechError: {
      /** @description The error, in words that stay the same. */
      error: string;
      /** @description What happened in particular, free of secrets. May change. */
      details?: string;
      /** @description 429 only: requests, or characters, that are left. */
      remaining?: number;
      /** @description 429 only: when to come back, ISO 8601 in UTC. */
      resetAt?: string;
    };
    SpeechRequest: {
      /** @description 1 to 4000 characters after trimming; white space alone counts as missing. */
      text: string;
      /** @description Comes back in `X-Message-Id`. A part of a message is named by its number: `msg_1:0`. */
      messageId?: string | null;
      /** @description The access token. */
      jwt?: string | null;
      data?: {
        jwt?: string | null;
      } | null;
    };
    Quota: {
      /** @description Whether the quota is in force on this server. */
      active: boolean;
      /** @description Estimated tokens in each window. */
      limit: number;
      used: number;
      /** @description Set aside for answers that are being given. */
      reserved: number;
      remaining: number;
      /** @description ISO 8601, UTC; null while no window is open. */
      resetAt: string | null;
    };
    QuotasReset: {
      /** @enum {boolean} */
      ok: true;
      /** @enum {string} */
      scope: "token" | "crypto" | "both";
      /** @enum {string} */
      mode: "all" | "ids" | "addresses";
      token?: {
        /** @description How many windows were cleared. */
        deleted: number;
      };
      crypto?: {
        /** @description How many windows were cleared. */
        deleted: number;
      };
    };
    ResetAllQuotas: {
      /** @description The operator's secret, where it is neither in a header nor in the query. */
      secret?: string;
      /** @enum {string} */
      scope?: "token" | "crypto" | "both";
      /** @enum {boolean} */
      all: true;
    };
    ResetQuotasOfKeys: {
      /** @description The operator's secret, where it is neither in a header nor in the query. */
      secret?: string;
      /** @enum {string} */
      scope?: "token" | "both";
      tokenIds: (string | number)[];
      /** @description The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists. */
      key?: string;
    };
    ResetQuotasOfWallets: {
      /** @description The operator's secret, where it is neither in a header nor in the query. */
      secret?: string;
      /** @enum {string} */
      scope?: "crypto" | "both";
      addresses: string[];
    };
    /** @description With `result` or `error`. */
    ToolAnswer: {
      /**
       * @description Where the message had it.
       * @enum {string}
       */
      jsonrpc?: "2.0";
      /** @description Comes back with the answer, where `jsonrpc` was sent. Not for bare messages. */
      id?: string | number;
      result?: components["schemas"]["ToolResult"];
      error?: components["schemas"]["ToolError"];
    };
    /** @description By the method. */
    ToolResult: {
      [key: string]: unknown;
    };
    ToolError: {
      /** @description See the table of codes. */
      code: number;
      message: string;
      /** @description Revisions that are not supported only. */
      data?: {
        supported: string[];
        requested: string;
      };
    };
    /** @description Beside `error`, where the message had `jsonrpc`: that and its `id`, which is null where it could not be read. */
    ToolFailure: {
      [key: string]: unknown;
    };
    OnlyPost: {
      error: string;
    };
    ToolMessage: {
      /**
       * @description Left out: a bare message, with a bare answer.
       * @enum {string}
       */
      jsonrpc?: "2.0";
      /** @description Comes back with the answer, where `jsonrpc` was sent. Not for bare messages. */
      id?: string | number;
      /** @description `tools/list`, `tools/call`, or another method of the protocol. */
      method: string;
      params?: {
        [key: string]: unknown;
      };
      /** @description The access token. */
      jwt?: string | null;
      data?: {
        jwt?: string | null;
      } | null;
    };
    ProtectedResource: {
      resource: string;
      resource_name: string;
      resource_documentation: string;
      bearer_methods_supported: string[];
      scopes_supported: string[];
    };
    /** @description What a client has to know before it can sign. */
    Settings: {
      /** @enum {string} */
      mode: "demo" | "development" | "production";
      /** @description The chain the keys live on; part of every signed text. */
      chainId: number;
      /** @description The contract of the keys, of the first kind where there are several; null for a membership. */
      contractAddress: string | null;
      /** @enum {string} */
      keyStandard: "erc721" | "erc1155" | "unlock" | "erc4907" | "membership";
      appName: string;
      /** @description An address to read the chain through; null means: ask the wallet. */
      rpcUrlForBrowser: string | null;
      /** @description What the page tells wallets, and which it offers besides those in the browser. */
      wallets: {
        /** @description How a wallet that does not know the chain can add it. */
        chain: {
          name: string;
          currency: string;
          rpcUrl: string | null;
          explorerUrl: string | null;
        };
        /** @description Where to get a key. */
        keyShopUrl: string | null;
        walletConnect: {
          projectId: string;
          relayUrl: string;
        } | null;
        base: boolean;
      };
    };
    Health: {
      /** @enum {string} */
      status: "alive";
    };
    Readiness: {
      /**
       * @description `degraded` while only something is away that the service can do without.
       * @enum {string}
       */
      status: "ready" | "degraded" | "unready";
      /** @description Each thing the service depends on, by its name. With several chains also `chain:<chainId>` and, in place of `watcher`, `watcher:<chainId>`. */
      dependencies: {
        database: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
        };
        /** @description Where state is kept in Redis. */
        redis?: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
        };
        chain: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
        };
        /** @description With KEYS_FILE: whether every contract is there that its kinds of keys name. */
        keys?: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
        };
        /** @description Whether transfers of keys are read, by any of the processes on this database. Absent while the server is still starting. */
        watcher?: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
          /** @description How long ago they were read. */
          ageSeconds?: number;
        };
        provider: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
        };
        /** @description Absent where speech is switched off. */
        speech?: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
        };
      } & {
        [key: string]: {
          /** @enum {string} */
          state: "up" | "down";
          /** @description How long it took to ask, in milliseconds. */
          latencyMs: number;
          /** @description Only when it is down: what could not be done. */
          detail?: string;
          /** @description How long ago they were read. */
          ageSeconds?: number;
        };
      };
      /** @description Whether the quota is in force. */
      quota: {
        active: boolean;
        /** @description What keeps it from being in force, in words. */
        missing: string[];
      };
    };
    /** @description A web application manifest, as the W3C describes it. */
    WebManifest: {
      id: string;
      /** @description The name of this place. */
      name: string;
      short_name: string;
      description?: string;
      lang?: string;
      start_url: string;
      scope: string;
      /** @enum {string} */
      display: "standalone";
      background_color: string;
      theme_color: string;
      icons: {
        src: string;
        sizes: string;
        type: string;
        /** @enum {string} */
        purpose?: "maskable";
      }[];
      shortcuts: {
        name: string;
        url: string;
      }[];
    };
    FaucetRequest: {
      address: string;
      /** @description The contract of a token that the demo gives away; absent for money. */
      token?: string;
    };
    RpcAnswer: {
      [key: string]: unknown;
    };
    RpcRequest: {
      /** @enum {string} */
      jsonrpc?: "2.0";
      id?: string | number;
      method: string;
      params?: unknown[];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: {
    /**
     * @description The id of this request, as it stands in the server's log.
     * @example 0b9f3a52-7c41-4f0e-9d38-2a6a1d7c5e90
     */
    "X-Request-Id": string;
    /**
     * @description Who may keep the answer, and for how long.
     * @example no-store
     */
    "Cache-Control": string;
    /**
     * @description Requests this address allows a client in one window.
     * @example 60
     */
    "X-RateLimit-Limit": number;
    /**
     * @description Requests the client has left in this window.
     * @example 59
     */
    "X-RateLimit-Remaining": number;
    /**
     * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
     * @example "gate-access";r=59;t=60
     */
    RateLimit: string;
    /**
     * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
     * @example "gate-access";q=60;w=60
     */
    "RateLimit-Policy": string;
    /**
     * @description Which refusal this is: the last part of its address under /problems.
     * @example too-many-requests
     */
    "X-Problem": string;
    /**
     * @description The methods this address has.
     * @example GET, HEAD, OPTIONS
     */
    Allow: string;
    /**
     * @description Whole seconds to wait before the next attempt.
     * @example 12
     */
    "Retry-After": number;
    /**
     * @description How to prove oneself. Has `error="invalid_token"` where a token was sent and is not good.
     * @example Bearer realm="latchkey"
     */
    "WWW-Authenticate": string;
    /**
     * @description The version of the answer; send it back in If-None-Match.
     * @example "a3f1c0d2e4b5968778695a4b3c2d1e0f"
     */
    ETag: string;
  };
  pathItems: never;
};
export type $defs = Record<string, never>;
export interface operations {
  getNonce: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A new nonce. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "nonce": "5f0c1b8e7a3d4926b1e0f7c8d9a2e641"
           *     }
           */
          "application/json": components["schemas"]["Nonce"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /**
       * @description - **Nonce could not be issued** ([nonce-not-issued](https://gate.example/problems/nonce-not-issued)): The server could not store a new nonce, so it did not hand one out.
       *     - **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault.
       */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **SIWE not enabled** ([siwe-not-enabled](https://gate.example/problems/siwe-not-enabled)): Signing in with Ethereum is switched off on this server, so it issues no nonces. */
      501: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  openGate: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** @description Left out, or what fits the proof you send. */
    requestBody?: {
      content: {
        "application/json": components["schemas"]["GateAccessRequest"];
      };
    };
    responses: {
      /** @description The gate is open. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Admission"];
        };
      };
      /**
       * @description - **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong.
       *     - **Invalid tokenId** ([invalid-tokenid](https://gate.example/problems/invalid-tokenid)): The token id is not a whole number that a key NFT could have.
       *     - **SIWE not enabled** ([siwe-not-enabled](https://gate.example/problems/siwe-not-enabled)): Signing in with Ethereum is switched off on this server.
       *     - **Legacy signatures not accepted** ([legacy-not-accepted](https://gate.example/problems/legacy-not-accepted)): This server does not accept the older timestamped signature.
       */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Authentication failed** ([authentication-failed](https://gate.example/problems/authentication-failed)): The proof that came with the request was missing, wrong, expired or used before. */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **You do not own this token** ([you-do-not-own-this-token](https://gate.example/problems/you-do-not-own-this-token)): The wallet was proved, but this key is not in it: it belongs to somebody else, does not exist, or its membership has expired.
       *     - **This token has already been used** ([this-token-has-already-been-used](https://gate.example/problems/this-token-has-already-been-used)): Each key opens the one-time form once, and this one has been used.
       */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["NotHeldProblem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  submitForm: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "tokenId": "42",
         *       "message": "I would like to come to the reading on Thursday.",
         *       "signature": "0x973a9deaf448678a18da0f201ff863afe8db992360df5a00d9eeb29f6706e76629b7414a0a9996595cae8449b5b78b53f51f08a2e9f43ea17a318095c824bc421b",
         *       "address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
         *       "timestamp": 1768469400000,
         *       "messageHash": "0x2e75b734f8d7746ec7c4c80d5fa294d6e002d2dd54d17fd21dc10943bddd0b7d"
         *     }
         */
        "application/json": components["schemas"]["FormSubmission"];
      };
    };
    responses: {
      /** @description The message was accepted, and the key is used. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "success": true,
           *       "message": "Access granted"
           *     }
           */
          "application/json": components["schemas"]["SubmissionAccepted"];
        };
      };
      /**
       * @description - **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong.
       *     - **Invalid tokenId** ([invalid-tokenid](https://gate.example/problems/invalid-tokenid)): The token id is not a whole number that a key NFT could have.
       */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Authentication failed** ([authentication-failed](https://gate.example/problems/authentication-failed)): The proof that came with the request was missing, wrong, expired or used before. */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **You do not own this token** ([you-do-not-own-this-token](https://gate.example/problems/you-do-not-own-this-token)): The wallet was proved, but this key is not in it: it belongs to somebody else, does not exist, or its membership has expired.
       *     - **This token has already been used** ([this-token-has-already-been-used](https://gate.example/problems/this-token-has-already-been-used)): Each key opens the one-time form once, and this one has been used.
       *     - **Not opened by this key** ([not-opened-by-this-key](https://gate.example/problems/not-opened-by-this-key)): Keys of this kind do not open what was asked for, or they open it to the wallet that holds them alone and not to its delegates.
       */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["NotHeldProblem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Holding too recent** ([holding-too-recent](https://gate.example/problems/holding-too-recent)): The key came to this wallet so recently that the chain might still take the transfer back, or was seen leaving it a moment ago. Using a key up cannot be undone.
       *     - **Wallet not deployed** ([wallet-not-deployed](https://gate.example/problems/wallet-not-deployed)): The wallet that signed is a contract wallet which doesn't exist on the chain yet. It may sign in, but using a key up cannot be undone, so the wallet must exist first.
       */
      409: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getTokenStatus: {
    parameters: {
      query?: {
        /**
         * @description The name of the key's kind, where a gate has several; by default the first that `GET /api/keys` lists.
         * @example founder
         */
        key?: string;
      };
      header?: never;
      path: {
        /**
         * @description Decimal digits, up to 2^256-1.
         * @example 42
         */
        tokenId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What is known of the key. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TokenStatus"];
        };
      };
      /**
       * @description - **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong.
       *     - **Invalid tokenId** ([invalid-tokenid](https://gate.example/problems/invalid-tokenid)): The token id is not a whole number that a key NFT could have.
       */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getPublicKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A JSON Web Key Set (RFC 7517). */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "keys": [
           *         {
           *           "kty": "EC",
           *           "crv": "P-256",
           *           "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
           *           "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
           *           "kid": "Yp6m2hR0w1aJrYcQ8vB3nKd5sT7uXfGzLeWoHiCqMbA",
           *           "alg": "ES256",
           *           "use": "sig"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["PublicKeys"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listKeys: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The ETag of the copy you have.
         * @example "a3f1c0d2e4b5968778695a4b3c2d1e0f"
         */
        "If-None-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The kinds of keys. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "keys": [
           *         {
           *           "name": "founder",
           *           "title": "Founder's key",
           *           "standard": "erc721",
           *           "chainId": 1,
           *           "contract": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
           *           "also": {
           *             "any": [
           *               {
           *                 "erc20": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
           *                 "chainId": 8453,
           *                 "atLeast": "2500000",
           *                 "label": "2.5 USDC on Base"
           *               },
           *               {
           *                 "secret": true
           *               }
           *             ]
           *           },
           *           "opens": [
           *             "room",
           *             "tts"
           *           ],
           *           "get": {
           *             "url": "https://shop.example/keys",
           *             "text": "Buy one"
           *           }
           *         },
           *         {
           *           "name": "guest",
           *           "title": "Guests",
           *           "standard": "membership",
           *           "chainId": 1,
           *           "requires": {
           *             "list": true,
           *             "label": "On the guest list"
           *           },
           *           "opens": [
           *             "room"
           *           ]
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["KeyKinds"];
        };
      };
      /** @description The version named in If-None-Match is still the current one. */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Signed in, or not and why. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Session"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  keepSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SessionRequest"];
      };
    };
    responses: {
      /** @description The session, what the key opens, or where to go on to. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          /**
           * @description `access_token`, for this whole site: `HttpOnly`, `SameSite=Strict`, `Secure` where the site is served over HTTPS, and gone when its token ends.
           * @example access_token=eyJ...; Path=/; Max-Age=900; HttpOnly; SameSite=Strict; Secure
           */
          "Set-Cookie"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionKept"];
        };
      };
      /** @description **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong. */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Authentication failed** ([authentication-failed](https://gate.example/problems/authentication-failed)): The proof that came with the request was missing, wrong, expired or used before. */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser.
       *     - **You do not own this token** ([you-do-not-own-this-token](https://gate.example/problems/you-do-not-own-this-token)): The wallet was proved, but this key is not in it: it belongs to somebody else, does not exist, or its membership has expired.
       *     - **This token has already been used** ([this-token-has-already-been-used](https://gate.example/problems/this-token-has-already-been-used)): Each key opens the one-time form once, and this one has been used.
       *     - **Not opened by this key** ([not-opened-by-this-key](https://gate.example/problems/not-opened-by-this-key)): Keys of this kind do not open what was asked for, or they open it to the wallet that holds them alone and not to its delegates.
       */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["NotHeldProblem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows.
       *     - **The site's cookie is not kept** ([site-cookie-not-kept](https://gate.example/problems/site-cookie-not-kept)): This browser was let in to the same site again and again within half a minute, and came back each time: it does not keep the cookie that the site gives it, or many windows of the site came at once.
       */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  endSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Signed out. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          /**
           * @description `access_token`, for this whole site: `HttpOnly`, `SameSite=Strict`, `Secure` where the site is served over HTTPS, and gone when its token ends.
           * @example access_token=eyJ...; Path=/; Max-Age=900; HttpOnly; SameSite=Strict; Secure
           */
          "Set-Cookie"?: string;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "signedIn": false
           *     }
           */
          "application/json": components["schemas"]["SignedOut"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  askDoor: {
    parameters: {
      query?: {
        /**
         * @description 401 with `Location` in place of 302, for proxies that read nothing but the status.
         * @example status
         */
        answer?: "status";
      };
      header?: {
        /**
         * @description `https`, or `http` for loopback names.
         * @example https
         */
        "X-Forwarded-Proto"?: string;
        /**
         * @description The site.
         * @example wiki.example.com
         */
        "X-Forwarded-Host"?: string;
        /**
         * @description Path and query.
         * @example /page?id=1
         */
        "X-Forwarded-Uri"?: string;
        /**
         * @description The visitor's method.
         * @example GET
         */
        "X-Forwarded-Method"?: string;
        /**
         * @description The whole address.
         * @example https://wiki.example.com/page?id=1
         */
        "X-Original-URL"?: string;
        /**
         * @description The visitor's method.
         * @example GET
         */
        "X-Original-Method"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The visitor may come in. There is no body. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          /**
           * @description The wallet that signed in, in lower case.
           * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
           */
          "Remote-User": string;
          /**
           * @description The name of the key's kind.
           * @example founder
           */
          "Remote-Groups": string;
          /**
           * @description The key: the name of its kind, and its id.
           * @example founder:7
           */
          "X-Latchkey-Key": string;
          /**
           * @description The wallet that holds the key, where the visitor is its delegate.
           * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
           */
          "X-Latchkey-Vault"?: string;
          /**
           * @description The answer is the cookie's.
           * @example Cookie
           */
          Vary: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The visitor asked for a page and is not signed in on the site: to the way in. */
      302: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          /**
           * @description The way in, on the site itself.
           * @example https://wiki.example.com/.latchkey/start?to=/page
           */
          Location: string;
          /**
           * @description Takes the site's cookie back, where it is good for nothing.
           * @example __Host-latchkey-door=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure
           */
          "Set-Cookie"?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Sign in with a key** ([door-closed](https://gate.example/problems/door-closed)): This site is open to holders of a key, and the request came without a sign-in for it, or with one that has ended. */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          /**
           * @description The way in, on the site itself.
           * @example https://wiki.example.com/.latchkey/start?to=/page
           */
          Location?: string;
          /**
           * @description Takes the site's cookie back, where it is good for nothing.
           * @example __Host-latchkey-door=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure
           */
          "Set-Cookie"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Door not configured** ([door-not-configured](https://gate.example/problems/door-not-configured)): A site's proxy asked whether a visitor may come in, in a way that cannot be trusted or understood; or somebody asked who is no proxy. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  startSite: {
    parameters: {
      query?: {
        /**
         * @description A path on the site. Default: `/`.
         * @example /page
         */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description On to the next step. */
      302: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          /**
           * @description The next step.
           * @example https://gate.example/gate?door=https%3A%2F%2Fwiki.example.com%2Fpage&start=...
           */
          Location: string;
          /**
           * @description For the site's host alone.
           * @example __Host-latchkey-start=AAAAAAAAAAAAAAAAAAAAAA; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure
           */
          "Set-Cookie": string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  enterSite: {
    parameters: {
      query?: {
        /**
         * @description From the gate.
         * @example AAAAAAAAAAAAAAAAAAAAAA
         */
        code?: string;
        /**
         * @description A path on the site. Default: `/`.
         * @example /page
         */
        to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description On to the next step. */
      302: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          /**
           * @description The next step.
           * @example /page
           */
          Location: string;
          /**
           * @description For the site's host alone.
           * @example __Host-latchkey-door=eyJ...; Path=/; Max-Age=900; HttpOnly; SameSite=Lax; Secure
           */
          "Set-Cookie": string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The code is not good here; a page says so. */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          /** @example <!doctype html><title>Not found</title> */
          "text/html": string;
        };
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["RateLimitProblem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  leaveSite: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description On to the next step. */
      302: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          /**
           * @description The next step.
           * @example https://gate.example/gate?left=wiki.example.com
           */
          Location: string;
          /**
           * @description For the site's host alone. Only where a browser opens it as a page.
           * @example __Host-latchkey-door=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure
           */
          "Set-Cookie"?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getMedia: {
    parameters: {
      query: {
        /**
         * @description When the address ends, in seconds since the epoch.
         * @example 1768470300
         */
        exp: string;
        /**
         * @description The signature over the rest of the address.
         * @example R0w1aJrYcQ8vB3nKd5sT7uXfGzLeWoHiCqMbAYp6m2h
         */
        sig: string;
      };
      header?: {
        /**
         * @description One range of bytes.
         * @example bytes=0-1023
         */
        Range?: string;
      };
      path: {
        /**
         * @description The key the address was signed for.
         * @example 42
         */
        tokenId: string;
        /**
         * @description The name of the file.
         * @example lamp-room.wav
         */
        file: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          ETag: components["headers"]["ETag"];
          /**
           * @description When the file was last changed.
           * @example Thu, 15 Jan 2026 09:30:00 GMT
           */
          "Last-Modified": string;
          /**
           * @description Parts can be asked for.
           * @example bytes
           */
          "Accept-Ranges": string;
          [name: string]: unknown;
        };
        content: {
          "audio/*": string;
          "image/*": string;
        };
      };
      /** @description The part that was asked for. */
      206: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          ETag: components["headers"]["ETag"];
          /**
           * @description When the file was last changed.
           * @example Thu, 15 Jan 2026 09:30:00 GMT
           */
          "Last-Modified": string;
          /**
           * @description Parts can be asked for.
           * @example bytes
           */
          "Accept-Ranges": string;
          /**
           * @description Which part this is, and how large the whole file.
           * @example bytes 0-1023/330044
           */
          "Content-Range": string;
          [name: string]: unknown;
        };
        content: {
          "audio/*": string;
          "image/*": string;
        };
      };
      /** @description Your copy is still good. */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          ETag: components["headers"]["ETag"];
          /**
           * @description When the file was last changed.
           * @example Thu, 15 Jan 2026 09:30:00 GMT
           */
          "Last-Modified": string;
          /**
           * @description Parts can be asked for.
           * @example bytes
           */
          "Accept-Ranges": string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Media link not valid** ([media-link-invalid](https://gate.example/problems/media-link-invalid)): Links to audio and images of the room are signed and live for a short time; this one has expired or was changed. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The file ends before the range begins. */
      416: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          ETag: components["headers"]["ETag"];
          "X-Problem": components["headers"]["X-Problem"];
          /**
           * @description When the file was last changed.
           * @example Thu, 15 Jan 2026 09:30:00 GMT
           */
          "Last-Modified": string;
          /**
           * @description Parts can be asked for.
           * @example bytes
           */
          "Accept-Ranges": string;
          /**
           * @description Which part this is, and how large the whole file.
           * @example bytes *\/330044
           */
          "Content-Range": string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getSandbox: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description An HTML document with a policy of its own, which lets nothing out. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          /**
           * @description Forbids everything but the frame's own inline script and styles.
           * @example default-src 'none'; script-src 'unsafe-inline'; sandbox allow-scripts
           */
          "Content-Security-Policy": string;
          [name: string]: unknown;
        };
        content: {
          /** @example <!doctype html><title>Room</title> */
          "text/html": string;
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  chat: {
    parameters: {
      query?: {
        /**
         * @description The access token, for clients that can send it in no other way.
         * @example eyJhbGciOiJFUzI1NiIsImtpZCI6IllwNm0yaFIwdzFhSnJZY1E4dkIzbktkNXNUN3VYZkd6TGVXb0hpQ3FNYkEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2dhdGUuZXhhbXBsZSIsImF1ZCI6WyJnYXRlLmV4YW1wbGUiXSwic3ViIjoiMHhmMzlmZDZlNTFhYWQ4OGY2ZjRjZTZhYjg4MjcyNzljZmZmYjkyMjY2IiwiaWF0IjoxNzY4NDY5NDAyLCJleHAiOjE3Njg0NzAzMDIsImp0aSI6IjZmMWQyYTM0LTViNmMtNGQ3ZS04ZjkwLWExYjJjM2Q0ZTVmNiIsImtpbmQiOiJhY2Nlc3MiLCJhdXRoIjoic2l3ZSIsInNjb3BlcyI6WyJnYXRlOnJlYWQiLCJjaGF0IiwidHRzIiwidG9vbHMiXSwidG9rZW5JZCI6IjQyIiwiY2hhaW5JZCI6MSwiY29udHJhY3QiOiIweDVmYmRiMjMxNTY3OGFmZWNiMzY3ZjAzMmQ5M2Y2NDJmNjQxODBhYTMiLCJzaXdlIjp7ImFkZHJlc3MiOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJkb21haW4iOiJnYXRlLmV4YW1wbGUiLCJjaGFpbklkIjoxLCJub25jZSI6IjVmMGMxYjhlN2EzZDQ5MjZiMWUwZjdjOGQ5YTJlNjQxIiwiaXNzdWVkQXQiOiIyMDI2LTAxLTE1VDA5OjMwOjAwLjAwMFoifSwic2l3ZV9oYXNoIjoiMHhjYzIwYTc0ZTFmMTAwNmE2NWQ4ZDBkNDVkMzBjODVhYjliNzU5MjRhYzVkNDQ5ZTU3ZjMwMDUwODRkYmJkMjRkIn0.dGhpcyBleGFtcGxlIGlzIHNpZ25lZCBieSBub2JvZHkgYW5kIG9wZW5zIG5vdGhpbmcsIGV2ZXI6IG9rLi4u
         */
        jwt?: string;
      };
      header?: {
        /**
         * @description `1`: the answer may be taken up again.
         * @example 1
         */
        "X-Chat-Resumable"?: string;
        /**
         * @description Names the answer. Default: a new name.
         * @example 5f0c2a86-3f0e-4c55-9f0a-0d5b8a3f6d21
         */
        "X-Reply-Id"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChatRequest"];
      };
    };
    responses: {
      /**
       * @description A stream of events, each a line `data: <JSON>` and an empty line; at the end `data: [DONE]`. Lines that begin with a colon keep the connection alive.
       *
       *     | `type` | Further members | Meaning |
       *     |---|---|---|
       *     | `start`, `finish` | `finish`: `messageMetadata.finishReason` | The answer as a whole. Reasons: `stop`, `length`, `tool-calls`, `content-filter`, `error`, `other`. |
       *     | `start-step`, `finish-step` | | One turn of the model and the tools it asked for. |
       *     | `text-start`, `text-delta`, `text-end` | `id`; `delta` | Text, piece by piece. |
       *     | `tool-input-start`, `tool-input-available` | `toolCallId`, `toolName`; `input` | A tool is called. |
       *     | `tool-output-available`, `tool-output-error` | `toolCallId`; `output` or `errorText` | What it answered. |
       *     | `error` | `errorText` | The answer broke off; `finish` follows. |
       */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          /**
           * @description Estimated tokens in one window; where the quota is in force.
           * @example 20000
           */
          "X-Quota-Limit"?: number;
          /**
           * @description What is left of them, the most this answer can take already set aside.
           * @example 18000
           */
          "X-Quota-Remaining"?: number;
          /**
           * @description When the window ends, ISO 8601 in UTC; absent while no window is open.
           * @example 2026-01-16T09:30:00.000Z
           */
          "X-Quota-Reset"?: string;
          /**
           * @description The version of the event stream.
           * @example v1
           */
          "x-vercel-ai-ui-message-stream": string;
          /**
           * @description Names this answer, where it can be taken up again.
           * @example 5f0c2a86-3f0e-4c55-9f0a-0d5b8a3f6d21
           */
          "X-Reply-Id"?: string;
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": string;
        };
      };
      /**
       * @description - **Invalid JSON body** ([invalid-json-body](https://gate.example/problems/invalid-json-body)): The body of the request is not valid JSON.
       *     - **Missing messages array** ([missing-messages](https://gate.example/problems/missing-messages)): A chat request needs a list of messages with at least one in it.
       *     - **Invalid messages** ([invalid-messages](https://gate.example/problems/invalid-messages)): A message of the conversation has a shape that cannot be read, or is too long.
       *     - **Unknown model** ([unknown-model](https://gate.example/problems/unknown-model)): The model asked for is not one this server offers.
       *     - **Invalid X-Reply-Id** ([invalid-reply-id](https://gate.example/problems/invalid-reply-id)): The name that the request gives its reply has another shape than such names have.
       */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **Unauthorized: missing JWT** ([missing-jwt](https://gate.example/problems/missing-jwt)): This address is for holders of a key only, and the request came without an access token.
       *     - **Unauthorized: invalid JWT** ([invalid-jwt](https://gate.example/problems/invalid-jwt)): The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.
       */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **An answer is already under way** ([answer-under-way](https://gate.example/problems/answer-under-way)): The last question of this conversation is still being answered.
       *     - **This X-Reply-Id is taken** ([reply-id-taken](https://gate.example/problems/reply-id-taken)): Another answer that is kept has the name that the request gives its reply.
       */
      409: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows.
       *     - **Too many answers under way** ([too-many-answers](https://gate.example/problems/too-many-answers)): As many questions of this key, or of this client, are being answered as may be at once.
       *     - **Quota exceeded** ([quota-exceeded](https://gate.example/problems/quota-exceeded)): This key has had as much answered as one quota window allows.
       *     - **Quota exceeded** ([quota-exceeded](https://gate.example/problems/quota-exceeded)): What this key has left is reserved for answers or speech under way; it need not be used up.
       */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **Chat request failed** ([provider-failed](https://gate.example/problems/provider-failed)): The model provider behind the chat could not be asked, or failed before it said anything.
       *     - **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault.
       */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
    };
  };
  resumeChat: {
    parameters: {
      query?: {
        /**
         * @description The access token, for clients that can send it in no other way.
         * @example eyJhbGciOiJFUzI1NiIsImtpZCI6IllwNm0yaFIwdzFhSnJZY1E4dkIzbktkNXNUN3VYZkd6TGVXb0hpQ3FNYkEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2dhdGUuZXhhbXBsZSIsImF1ZCI6WyJnYXRlLmV4YW1wbGUiXSwic3ViIjoiMHhmMzlmZDZlNTFhYWQ4OGY2ZjRjZTZhYjg4MjcyNzljZmZmYjkyMjY2IiwiaWF0IjoxNzY4NDY5NDAyLCJleHAiOjE3Njg0NzAzMDIsImp0aSI6IjZmMWQyYTM0LTViNmMtNGQ3ZS04ZjkwLWExYjJjM2Q0ZTVmNiIsImtpbmQiOiJhY2Nlc3MiLCJhdXRoIjoic2l3ZSIsInNjb3BlcyI6WyJnYXRlOnJlYWQiLCJjaGF0IiwidHRzIiwidG9vbHMiXSwidG9rZW5JZCI6IjQyIiwiY2hhaW5JZCI6MSwiY29udHJhY3QiOiIweDVmYmRiMjMxNTY3OGFmZWNiMzY3ZjAzMmQ5M2Y2NDJmNjQxODBhYTMiLCJzaXdlIjp7ImFkZHJlc3MiOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJkb21haW4iOiJnYXRlLmV4YW1wbGUiLCJjaGFpbklkIjoxLCJub25jZSI6IjVmMGMxYjhlN2EzZDQ5MjZiMWUwZjdjOGQ5YTJlNjQxIiwiaXNzdWVkQXQiOiIyMDI2LTAxLTE1VDA5OjMwOjAwLjAwMFoifSwic2l3ZV9oYXNoIjoiMHhjYzIwYTc0ZTFmMTAwNmE2NWQ4ZDBkNDVkMzBjODVhYjliNzU5MjRhYzVkNDQ5ZTU3ZjMwMDUwODRkYmJkMjRkIn0.dGhpcyBleGFtcGxlIGlzIHNpZ25lZCBieSBub2JvZHkgYW5kIG9wZW5zIG5vdGhpbmcsIGV2ZXI6IG9rLi4u
         */
        jwt?: string;
        /**
         * @description The same, where the header cannot be sent.
         * @example 6
         */
        after?: string;
        /**
         * @description The `X-Reply-Id` of the answer that is meant: 204 where the newest is another one.
         * @example 5f0c2a86-3f0e-4c55-9f0a-0d5b8a3f6d21
         */
        reply?: string;
      };
      header?: {
        /**
         * @description The id of the last event that was read.
         * @example 6
         */
        "Last-Event-ID"?: string;
      };
      path: {
        /**
         * @description The conversation's id, as sent.
         * @example conversation-0001
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events, as the chat describes them, each with its id. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          /**
           * @description Estimated tokens in one window; where the quota is in force.
           * @example 20000
           */
          "X-Quota-Limit"?: number;
          /**
           * @description What is left of them, the most this answer can take already set aside.
           * @example 18000
           */
          "X-Quota-Remaining"?: number;
          /**
           * @description When the window ends, ISO 8601 in UTC; absent while no window is open.
           * @example 2026-01-16T09:30:00.000Z
           */
          "X-Quota-Reset"?: string;
          /**
           * @description The version of the event stream.
           * @example v1
           */
          "x-vercel-ai-ui-message-stream": string;
          /**
           * @description Names this answer, where it can be taken up again.
           * @example 5f0c2a86-3f0e-4c55-9f0a-0d5b8a3f6d21
           */
          "X-Reply-Id": string;
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": string;
        };
      };
      /** @description There is no such answer, or it is somebody else's, or it ended too long ago. */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - **Unauthorized: missing JWT** ([missing-jwt](https://gate.example/problems/missing-jwt)): This address is for holders of a key only, and the request came without an access token.
       *     - **Unauthorized: invalid JWT** ([invalid-jwt](https://gate.example/problems/invalid-jwt)): The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.
       */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
    };
  };
  stopChat: {
    parameters: {
      query?: {
        /**
         * @description The access token, for clients that can send it in no other way.
         * @example eyJhbGciOiJFUzI1NiIsImtpZCI6IllwNm0yaFIwdzFhSnJZY1E4dkIzbktkNXNUN3VYZkd6TGVXb0hpQ3FNYkEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2dhdGUuZXhhbXBsZSIsImF1ZCI6WyJnYXRlLmV4YW1wbGUiXSwic3ViIjoiMHhmMzlmZDZlNTFhYWQ4OGY2ZjRjZTZhYjg4MjcyNzljZmZmYjkyMjY2IiwiaWF0IjoxNzY4NDY5NDAyLCJleHAiOjE3Njg0NzAzMDIsImp0aSI6IjZmMWQyYTM0LTViNmMtNGQ3ZS04ZjkwLWExYjJjM2Q0ZTVmNiIsImtpbmQiOiJhY2Nlc3MiLCJhdXRoIjoic2l3ZSIsInNjb3BlcyI6WyJnYXRlOnJlYWQiLCJjaGF0IiwidHRzIiwidG9vbHMiXSwidG9rZW5JZCI6IjQyIiwiY2hhaW5JZCI6MSwiY29udHJhY3QiOiIweDVmYmRiMjMxNTY3OGFmZWNiMzY3ZjAzMmQ5M2Y2NDJmNjQxODBhYTMiLCJzaXdlIjp7ImFkZHJlc3MiOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJkb21haW4iOiJnYXRlLmV4YW1wbGUiLCJjaGFpbklkIjoxLCJub25jZSI6IjVmMGMxYjhlN2EzZDQ5MjZiMWUwZjdjOGQ5YTJlNjQxIiwiaXNzdWVkQXQiOiIyMDI2LTAxLTE1VDA5OjMwOjAwLjAwMFoifSwic2l3ZV9oYXNoIjoiMHhjYzIwYTc0ZTFmMTAwNmE2NWQ4ZDBkNDVkMzBjODVhYjliNzU5MjRhYzVkNDQ5ZTU3ZjMwMDUwODRkYmJkMjRkIn0.dGhpcyBleGFtcGxlIGlzIHNpZ25lZCBieSBub2JvZHkgYW5kIG9wZW5zIG5vdGhpbmcsIGV2ZXI6IG9rLi4u
         */
        jwt?: string;
      };
      header?: {
        /**
         * @description Which answer is meant.
         * @example 5f0c2a86-3f0e-4c55-9f0a-0d5b8a3f6d21
         */
        "X-Reply-Id"?: string;
      };
      path: {
        /**
         * @description The conversation's id, as sent.
         * @example conversation-0001
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It ends now. Also if nothing is under way, or if it is somebody else's. */
      204: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Invalid X-Reply-Id** ([invalid-reply-id](https://gate.example/problems/invalid-reply-id)): The name that the request gives its reply has another shape than such names have. */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **Unauthorized: missing JWT** ([missing-jwt](https://gate.example/problems/missing-jwt)): This address is for holders of a key only, and the request came without an access token.
       *     - **Unauthorized: invalid JWT** ([invalid-jwt](https://gate.example/problems/invalid-jwt)): The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.
       */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ChatError"];
        };
      };
    };
  };
  listModels: {
    parameters: {
      query?: {
        /**
         * @description The access token, for clients that can send it in no other way.
         * @example eyJhbGciOiJFUzI1NiIsImtpZCI6IllwNm0yaFIwdzFhSnJZY1E4dkIzbktkNXNUN3VYZkd6TGVXb0hpQ3FNYkEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2dhdGUuZXhhbXBsZSIsImF1ZCI6WyJnYXRlLmV4YW1wbGUiXSwic3ViIjoiMHhmMzlmZDZlNTFhYWQ4OGY2ZjRjZTZhYjg4MjcyNzljZmZmYjkyMjY2IiwiaWF0IjoxNzY4NDY5NDAyLCJleHAiOjE3Njg0NzAzMDIsImp0aSI6IjZmMWQyYTM0LTViNmMtNGQ3ZS04ZjkwLWExYjJjM2Q0ZTVmNiIsImtpbmQiOiJhY2Nlc3MiLCJhdXRoIjoic2l3ZSIsInNjb3BlcyI6WyJnYXRlOnJlYWQiLCJjaGF0IiwidHRzIiwidG9vbHMiXSwidG9rZW5JZCI6IjQyIiwiY2hhaW5JZCI6MSwiY29udHJhY3QiOiIweDVmYmRiMjMxNTY3OGFmZWNiMzY3ZjAzMmQ5M2Y2NDJmNjQxODBhYTMiLCJzaXdlIjp7ImFkZHJlc3MiOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJkb21haW4iOiJnYXRlLmV4YW1wbGUiLCJjaGFpbklkIjoxLCJub25jZSI6IjVmMGMxYjhlN2EzZDQ5MjZiMWUwZjdjOGQ5YTJlNjQxIiwiaXNzdWVkQXQiOiIyMDI2LTAxLTE1VDA5OjMwOjAwLjAwMFoifSwic2l3ZV9oYXNoIjoiMHhjYzIwYTc0ZTFmMTAwNmE2NWQ4ZDBkNDVkMzBjODVhYjliNzU5MjRhYzVkNDQ5ZTU3ZjMwMDUwODRkYmJkMjRkIn0.dGhpcyBleGFtcGxlIGlzIHNpZ25lZCBieSBub2JvZHkgYW5kIG9wZW5zIG5vdGhpbmcsIGV2ZXI6IG9rLi4u
         */
        jwt?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The models, never none. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "object": "list",
           *       "data": [
           *         {
           *           "id": "gpt-4o-mini",
           *           "object": "model"
           *         },
           *         {
           *           "id": "gpt-4o",
           *           "object": "model"
           *         }
           *       ]
           *     }
           */
          "application/json": components["schemas"]["Models"];
        };
      };
      /**
       * @description - **Unauthorized: missing JWT** ([missing-jwt](https://gate.example/problems/missing-jwt)): This address is for holders of a key only, and the request came without an access token.
       *     - **Unauthorized: invalid JWT** ([invalid-jwt](https://gate.example/problems/invalid-jwt)): The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.
       */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
    };
  };
  speak: {
    parameters: {
      query?: {
        /**
         * @description The access token, for clients that can send it in no other way.
         * @example eyJhbGciOiJFUzI1NiIsImtpZCI6IllwNm0yaFIwdzFhSnJZY1E4dkIzbktkNXNUN3VYZkd6TGVXb0hpQ3FNYkEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2dhdGUuZXhhbXBsZSIsImF1ZCI6WyJnYXRlLmV4YW1wbGUiXSwic3ViIjoiMHhmMzlmZDZlNTFhYWQ4OGY2ZjRjZTZhYjg4MjcyNzljZmZmYjkyMjY2IiwiaWF0IjoxNzY4NDY5NDAyLCJleHAiOjE3Njg0NzAzMDIsImp0aSI6IjZmMWQyYTM0LTViNmMtNGQ3ZS04ZjkwLWExYjJjM2Q0ZTVmNiIsImtpbmQiOiJhY2Nlc3MiLCJhdXRoIjoic2l3ZSIsInNjb3BlcyI6WyJnYXRlOnJlYWQiLCJjaGF0IiwidHRzIiwidG9vbHMiXSwidG9rZW5JZCI6IjQyIiwiY2hhaW5JZCI6MSwiY29udHJhY3QiOiIweDVmYmRiMjMxNTY3OGFmZWNiMzY3ZjAzMmQ5M2Y2NDJmNjQxODBhYTMiLCJzaXdlIjp7ImFkZHJlc3MiOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJkb21haW4iOiJnYXRlLmV4YW1wbGUiLCJjaGFpbklkIjoxLCJub25jZSI6IjVmMGMxYjhlN2EzZDQ5MjZiMWUwZjdjOGQ5YTJlNjQxIiwiaXNzdWVkQXQiOiIyMDI2LTAxLTE1VDA5OjMwOjAwLjAwMFoifSwic2l3ZV9oYXNoIjoiMHhjYzIwYTc0ZTFmMTAwNmE2NWQ4ZDBkNDVkMzBjODVhYjliNzU5MjRhYzVkNDQ5ZTU3ZjMwMDUwODRkYmJkMjRkIn0.dGhpcyBleGFtcGxlIGlzIHNpZ25lZCBieSBub2JvZHkgYW5kIG9wZW5zIG5vdGhpbmcsIGV2ZXI6IG9rLi4u
         */
        jwt?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SpeechRequest"];
      };
    };
    responses: {
      /** @description Audio, as the provider sends it; MP3 unless it says otherwise. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          /**
           * @description The `messageId` of the request; absent where none was sent.
           * @example msg_1:0
           */
          "X-Message-Id"?: string;
          /**
           * @description `1`: the text was too long to be spoken to its end. Absent otherwise.
           * @example 1
           */
          "X-Speech-Cut"?: string;
          /**
           * @description Characters in one window; where the quota is in force.
           * @example 50000
           */
          "X-Quota-Limit"?: number;
          /**
           * @description What is left of them, this text counted unless nothing had to be spoken for it.
           * @example 49960
           */
          "X-Quota-Remaining"?: number;
          /**
           * @description When the window ends, ISO 8601 in UTC; absent while no window is open.
           * @example 2026-01-16T09:30:00.000Z
           */
          "X-Quota-Reset"?: string;
          [name: string]: unknown;
        };
        content: {
          "audio/*": string;
        };
      };
      /**
       * @description - **Invalid JSON body** ([invalid-json-body](https://gate.example/problems/invalid-json-body)): The body of the request is not valid JSON.
       *     - **Missing "text"** ([missing-text](https://gate.example/problems/missing-text)): A request for speech needs a text with at least one character besides white space.
       *     - **"text" is too long** ([text-too-long](https://gate.example/problems/text-too-long)): The text to be spoken is longer than one request may be.
       *     - **Invalid "messageId"** ([invalid-message-id](https://gate.example/problems/invalid-message-id)): The id of the message holds characters that cannot stand in a header, or is too long.
       */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /**
       * @description - **Unauthorized: missing JWT** ([missing-jwt](https://gate.example/problems/missing-jwt)): This address is for holders of a key only, and the request came without an access token.
       *     - **Unauthorized: invalid JWT** ([invalid-jwt](https://gate.example/problems/invalid-jwt)): The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.
       */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /** @description **Text cannot be spoken** ([unspeakable-text](https://gate.example/problems/unspeakable-text)): The request is right, but the voice of this server has no sounds for this text. */
      422: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /**
       * @description - **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows.
       *     - **Quota exceeded** ([quota-exceeded](https://gate.example/problems/quota-exceeded)): This key has had as much answered as one quota window allows.
       *     - **Quota exceeded** ([quota-exceeded](https://gate.example/problems/quota-exceeded)): What this key has left is reserved for answers or speech under way; it need not be used up.
       *     - **TTS is busy** ([speech-busy](https://gate.example/problems/speech-busy)): As much is being spoken as this server can speak at once, and as much is waiting.
       */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /**
       * @description - **TTS generation failed** ([speech-failed](https://gate.example/problems/speech-failed)): The provider of speech could not be asked, or failed before it said anything.
       *     - **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault.
       */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **TTS provider is disabled** ([speech-disabled](https://gate.example/problems/speech-disabled)): Speech is switched off on this server.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          /**
           * @description Whole seconds to wait before the next attempt.
           * @example 12
           */
          "Retry-After"?: number;
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SpeechError"];
        };
      };
    };
  };
  getQuota: {
    parameters: {
      query?: {
        /**
         * @description The access token, for clients that can send it in no other way.
         * @example eyJhbGciOiJFUzI1NiIsImtpZCI6IllwNm0yaFIwdzFhSnJZY1E4dkIzbktkNXNUN3VYZkd6TGVXb0hpQ3FNYkEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2dhdGUuZXhhbXBsZSIsImF1ZCI6WyJnYXRlLmV4YW1wbGUiXSwic3ViIjoiMHhmMzlmZDZlNTFhYWQ4OGY2ZjRjZTZhYjg4MjcyNzljZmZmYjkyMjY2IiwiaWF0IjoxNzY4NDY5NDAyLCJleHAiOjE3Njg0NzAzMDIsImp0aSI6IjZmMWQyYTM0LTViNmMtNGQ3ZS04ZjkwLWExYjJjM2Q0ZTVmNiIsImtpbmQiOiJhY2Nlc3MiLCJhdXRoIjoic2l3ZSIsInNjb3BlcyI6WyJnYXRlOnJlYWQiLCJjaGF0IiwidHRzIiwidG9vbHMiXSwidG9rZW5JZCI6IjQyIiwiY2hhaW5JZCI6MSwiY29udHJhY3QiOiIweDVmYmRiMjMxNTY3OGFmZWNiMzY3ZjAzMmQ5M2Y2NDJmNjQxODBhYTMiLCJzaXdlIjp7ImFkZHJlc3MiOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJkb21haW4iOiJnYXRlLmV4YW1wbGUiLCJjaGFpbklkIjoxLCJub25jZSI6IjVmMGMxYjhlN2EzZDQ5MjZiMWUwZjdjOGQ5YTJlNjQxIiwiaXNzdWVkQXQiOiIyMDI2LTAxLTE1VDA5OjMwOjAwLjAwMFoifSwic2l3ZV9oYXNoIjoiMHhjYzIwYTc0ZTFmMTAwNmE2NWQ4ZDBkNDVkMzBjODVhYjliNzU5MjRhYzVkNDQ5ZTU3ZjMwMDUwODRkYmJkMjRkIn0.dGhpcyBleGFtcGxlIGlzIHNpZ25lZCBieSBub2JvZHkgYW5kIG9wZW5zIG5vdGhpbmcsIGV2ZXI6IG9rLi4u
         */
        jwt?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The quota of the key that the token was made for. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "active": true,
           *       "limit": 20000,
           *       "used": 1280,
           *       "reserved": 2000,
           *       "remaining": 16720,
           *       "resetAt": "2026-01-16T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Quota"];
        };
      };
      /**
       * @description - **Unauthorized: missing JWT** ([missing-jwt](https://gate.example/problems/missing-jwt)): This address is for holders of a key only, and the request came without an access token.
       *     - **Unauthorized: invalid JWT** ([invalid-jwt](https://gate.example/problems/invalid-jwt)): The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.
       */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
    };
  };
  resetQuotas: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json":
          | components["schemas"]["ResetAllQuotas"]
          | components["schemas"]["ResetQuotasOfKeys"]
          | components["schemas"]["ResetQuotasOfWallets"];
      };
    };
    responses: {
      /** @description The windows are cleared. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "ok": true,
           *       "scope": "both",
           *       "mode": "all",
           *       "token": {
           *         "deleted": 3
           *       },
           *       "crypto": {
           *         "deleted": 0
           *       }
           *     }
           */
          "application/json": components["schemas"]["QuotasReset"];
        };
      };
      /** @description **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong. */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Unauthorized** ([quota-reset-unauthorized](https://gate.example/problems/quota-reset-unauthorized)): Quotas are reset with the operator's secret only; it was missing or wrong. */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Quota reset disabled** ([quota-reset-disabled](https://gate.example/problems/quota-reset-disabled)): This server resets no quotas: no secret is set for it, or the quota itself is switched off. */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
      /**
       * @description - **State service inactive** ([state-service-inactive](https://gate.example/problems/state-service-inactive)): The state service is switched off on this server, so there are no quotas to reset.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          /**
           * @description Whole seconds to wait before the next attempt.
           * @example 12
           */
          "Retry-After"?: number;
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ErrorAnswer"];
        };
      };
    };
  };
  callTools: {
    parameters: {
      query?: {
        /**
         * @description The access token, for clients that can send it in no other way.
         * @example eyJhbGciOiJFUzI1NiIsImtpZCI6IllwNm0yaFIwdzFhSnJZY1E4dkIzbktkNXNUN3VYZkd6TGVXb0hpQ3FNYkEiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2dhdGUuZXhhbXBsZSIsImF1ZCI6WyJnYXRlLmV4YW1wbGUiXSwic3ViIjoiMHhmMzlmZDZlNTFhYWQ4OGY2ZjRjZTZhYjg4MjcyNzljZmZmYjkyMjY2IiwiaWF0IjoxNzY4NDY5NDAyLCJleHAiOjE3Njg0NzAzMDIsImp0aSI6IjZmMWQyYTM0LTViNmMtNGQ3ZS04ZjkwLWExYjJjM2Q0ZTVmNiIsImtpbmQiOiJhY2Nlc3MiLCJhdXRoIjoic2l3ZSIsInNjb3BlcyI6WyJnYXRlOnJlYWQiLCJjaGF0IiwidHRzIiwidG9vbHMiXSwidG9rZW5JZCI6IjQyIiwiY2hhaW5JZCI6MSwiY29udHJhY3QiOiIweDVmYmRiMjMxNTY3OGFmZWNiMzY3ZjAzMmQ5M2Y2NDJmNjQxODBhYTMiLCJzaXdlIjp7ImFkZHJlc3MiOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJkb21haW4iOiJnYXRlLmV4YW1wbGUiLCJjaGFpbklkIjoxLCJub25jZSI6IjVmMGMxYjhlN2EzZDQ5MjZiMWUwZjdjOGQ5YTJlNjQxIiwiaXNzdWVkQXQiOiIyMDI2LTAxLTE1VDA5OjMwOjAwLjAwMFoifSwic2l3ZV9oYXNoIjoiMHhjYzIwYTc0ZTFmMTAwNmE2NWQ4ZDBkNDVkMzBjODVhYjliNzU5MjRhYzVkNDQ5ZTU3ZjMwMDUwODRkYmJkMjRkIn0.dGhpcyBleGFtcGxlIGlzIHNpZ25lZCBieSBub2JvZHkgYW5kIG9wZW5zIG5vdGhpbmcsIGV2ZXI6IG9rLi4u
         */
        jwt?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ToolMessage"];
      };
    };
    responses: {
      /** @description The result, or what was wrong with the call. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolAnswer"];
        };
      };
      /** @description A notification: taken, and nothing to say. */
      202: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content?: never;
      };
      /**
       * @description - **Invalid JSON body** ([invalid-json-body](https://gate.example/problems/invalid-json-body)): The body of the request is not valid JSON.
       *     - **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong.
       */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /**
       * @description - **Unauthorized: missing JWT** ([missing-jwt](https://gate.example/problems/missing-jwt)): This address is for holders of a key only, and the request came without an access token.
       *     - **Unauthorized: invalid JWT** ([invalid-jwt](https://gate.example/problems/invalid-jwt)): The access token that came with the request is malformed, expired or not made for this address, or its key has left the wallet or was used up.
       */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /**
       * @description - **Cross-site request refused** ([cross-site-request](https://gate.example/problems/cross-site-request)): A page on another site tried to use the sign-in of this browser.
       *     - **Host not allowed** ([host-not-allowed](https://gate.example/problems/host-not-allowed)): The request names a host, or comes from a page, that is not one of this site's own.
       */
      403: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /** @description Revision 2026-07-28 only: no such method. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "jsonrpc": "2.0",
           *       "id": 1,
           *       "error": {
           *         "code": -32601,
           *         "message": "There is no method called tools/none here."
           *       }
           *     }
           */
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "error": "MCP endpoint only supports POST requests"
           *     }
           */
          "application/json": components["schemas"]["OnlyPost"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /** @description **Too many requests** ([too-many-requests](https://gate.example/problems/too-many-requests)): More requests came from this client than the limit of this address allows. */
      429: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
      /**
       * @description - **Chain unavailable** ([chain-unavailable](https://gate.example/problems/chain-unavailable)): The blockchain could not be asked, so nobody knows right now who holds the key. Nothing was decided.
       *     - **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was.
       */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          /**
           * @description Requests this address allows a client in one window.
           * @example 60
           */
          "X-RateLimit-Limit"?: number;
          /**
           * @description Requests the client has left in this window.
           * @example 59
           */
          "X-RateLimit-Remaining"?: number;
          /**
           * @description The same in the form of the IETF draft: the limit's name, `r` requests left, `t` seconds until the window ends.
           * @example "gate-access";r=59;t=60
           */
          RateLimit?: string;
          /**
           * @description The limit itself, in the form of the IETF draft: `q` requests in `w` seconds.
           * @example "gate-access";q=60;w=60
           */
          "RateLimit-Policy"?: string;
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ToolFailure"];
        };
      };
    };
  };
  getProtectedResource: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The tools' path.
         * @example api/mcp
         */
        file: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metadata. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "resource": "https://gate.example/api/mcp",
           *       "resource_name": "Latchkey tools",
           *       "resource_documentation": "https://gate.example/docs",
           *       "bearer_methods_supported": [
           *         "header",
           *         "body",
           *         "query"
           *       ],
           *       "scopes_supported": [
           *         "tools"
           *       ]
           *     }
           */
          "application/json": components["schemas"]["ProtectedResource"];
        };
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getSettings: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The public settings. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "mode": "production",
           *       "chainId": 1,
           *       "contractAddress": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
           *       "keyStandard": "erc721",
           *       "appName": "Latchkey",
           *       "rpcUrlForBrowser": null,
           *       "wallets": {
           *         "chain": {
           *           "name": "Ethereum",
           *           "currency": "ETH",
           *           "rpcUrl": null,
           *           "explorerUrl": null
           *         },
           *         "keyShopUrl": null,
           *         "walletConnect": null,
           *         "base": false
           *       }
           *     }
           */
          "application/json": components["schemas"]["Settings"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getOpenApi: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description The ETag of the copy you have.
         * @example "a3f1c0d2e4b5968778695a4b3c2d1e0f"
         */
        "If-None-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description This document. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "openapi": "3.0.3",
           *       "info": {
           *         "title": "Latchkey API",
           *         "version": "1.0.0"
           *       },
           *       "paths": {}
           *     }
           */
          "application/json": {
            /** @enum {string} */
            openapi: "3.0.3";
            info: {
              [key: string]: unknown;
            };
            paths: {
              [key: string]: unknown;
            };
          } & {
            [key: string]: unknown;
          };
        };
      };
      /** @description The version named in If-None-Match is still the current one. */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description It does. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "alive"
           *     }
           */
          "application/json": components["schemas"]["Health"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Everything the service cannot do without can be asked. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ready",
           *       "dependencies": {
           *         "database": {
           *           "state": "up",
           *           "latencyMs": 1.4
           *         },
           *         "chain": {
           *           "state": "up",
           *           "latencyMs": 1.4
           *         },
           *         "watcher": {
           *           "state": "up",
           *           "latencyMs": 1.4,
           *           "ageSeconds": 3
           *         },
           *         "provider": {
           *           "state": "up",
           *           "latencyMs": 1.4
           *         },
           *         "speech": {
           *           "state": "up",
           *           "latencyMs": 1.4
           *         }
           *       },
           *       "quota": {
           *         "active": true,
           *         "missing": []
           *       }
           *     }
           */
          "application/json": components["schemas"]["Readiness"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description The database or the chain cannot be asked, or the server is still starting. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "unready",
           *       "dependencies": {
           *         "database": {
           *           "state": "up",
           *           "latencyMs": 1.4
           *         },
           *         "chain": {
           *           "state": "down",
           *           "latencyMs": 3000,
           *           "detail": "No RPC endpoint of the configured chain answered."
           *         },
           *         "watcher": {
           *           "state": "up",
           *           "latencyMs": 1.4,
           *           "ageSeconds": 3
           *         },
           *         "provider": {
           *           "state": "up",
           *           "latencyMs": 1.4
           *         },
           *         "speech": {
           *           "state": "up",
           *           "latencyMs": 1.4
           *         }
           *       },
           *       "quota": {
           *         "active": true,
           *         "missing": []
           *       }
           *     }
           */
          "application/json": components["schemas"]["Readiness"];
        };
      };
    };
  };
  getMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All measurements, in the Prometheus text format. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example # HELP latchkey_refusals_total Refusals by slug.
           *     # TYPE latchkey_refusals_total counter
           *     latchkey_refusals_total{slug="too-many-requests"} 3
           */
          "text/plain": string;
        };
      };
      /** @description **Authentication failed** ([authentication-failed](https://gate.example/problems/authentication-failed)): The proof that came with the request was missing, wrong, expired or used before. */
      401: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getManifest: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The manifest. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": "/",
           *       "name": "Latchkey",
           *       "short_name": "Latchkey",
           *       "start_url": "/",
           *       "scope": "/",
           *       "display": "standalone",
           *       "background_color": "#163a35",
           *       "theme_color": "#163a35",
           *       "icons": [
           *         {
           *           "src": "/icons/icon-512.png",
           *           "sizes": "512x512",
           *           "type": "image/png"
           *         }
           *       ],
           *       "shortcuts": [
           *         {
           *           "name": "The room",
           *           "url": "/gate"
           *         }
           *       ]
           *     }
           */
          "application/manifest+json": components["schemas"]["WebManifest"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getServiceWorker: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The script. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /** @example "use strict"; */
          "text/javascript": string;
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  getBrandFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Of the whole look.
         * @example 9f86d081884c7d65
         */
        version: string;
        /**
         * @description The name of the file.
         * @example logo.svg
         */
        file: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The file. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "image/*": string;
          /** @example :root{--accent:#1f4d46} */
          "text/css": string;
        };
      };
      /** @description **Not found** ([not-found](https://gate.example/problems/not-found)): There is nothing at this address. */
      404: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  fillWallet: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
         *     }
         */
        "application/json": components["schemas"]["FaucetRequest"];
      };
    };
    responses: {
      /** @description The wallet is filled. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "address": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
           *     }
           */
          "application/json": components["schemas"]["FaucetRequest"];
        };
      };
      /** @description **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong. */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  askDemoChain: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "jsonrpc": "2.0",
         *       "id": 1,
         *       "method": "eth_chainId",
         *       "params": []
         *     }
         */
        "application/json": components["schemas"]["RpcRequest"];
      };
    };
    responses: {
      /** @description The chain's answer, an error of its own included. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "jsonrpc": "2.0",
           *       "id": 1,
           *       "result": "0x7a69"
           *     }
           */
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description **Invalid request** ([invalid-request](https://gate.example/problems/invalid-request)): The request could not be understood: its JSON or the shape of its fields is wrong. */
      400: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Method not allowed** ([method-not-allowed](https://gate.example/problems/method-not-allowed)): This address exists, but not for this HTTP method. */
      405: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          Allow: components["headers"]["Allow"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Request timed out** ([request-timeout](https://gate.example/problems/request-timeout)): The request was not received whole in time. */
      408: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Body too large** ([body-too-large](https://gate.example/problems/body-too-large)): The request body is larger than this address accepts. */
      413: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Unsupported media type** ([unsupported-media-type](https://gate.example/problems/unsupported-media-type)): The body is not declared as JSON. */
      415: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **Internal error** ([internal-error](https://gate.example/problems/internal-error)): The server failed; the request is not at fault. */
      500: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description **State unavailable** ([state-unavailable](https://gate.example/problems/state-unavailable)): Where the server keeps its state could not be asked, or was lost before it answered, or the server is still starting. A request that only reads has changed nothing; of any other it is not known what was done, unless the answer says that nothing was. */
      503: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-Problem": components["headers"]["X-Problem"];
          "Cache-Control": components["headers"]["Cache-Control"];
          "Retry-After": components["headers"]["Retry-After"];
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
}
