import { createServer } from "node:http";
import express from "express";
import { listen } from "~/platform/http/connection/http-server.server";
import { answerParent } from "../worker-process";

/** `folder`: what is there to fetch by name; `speechFile`: the answer to every request for speech. */
export type FilesSetup = { folder: string; speechFile: string };

answerParent(startFilesServer);

/** Files by Express and its `send`, which is how most Node services give them out: to anybody who asks. */
async function startFilesServer({ folder, speechFile }: FilesSetup): Promise<{ port: number }> {
  const app = express();
  app.disable("x-powered-by");
  app.post("/api/tts", express.json(), (_request, response) => response.sendFile(speechFile));
  app.use(express.static(folder, { index: false }));
  const server = createServer(app);
  return { port: await listen(server, "127.0.0.1", 0) };
}
