import type express from "express";
import { ServedRequest, ServedResponse } from "../http-server.server";

/**
 * Express gives each request and response its own prototypes. Objects that are changed like this outlive the small garbage
 * collections, with all they point at: docs/decisions/064-shared-pages.md. Where the server makes them with these
 * prototypes, there is nothing left to change. For one application in a process.
 */
export function joinPrototypes(app: express.Express): void {
  app.request = Object.setPrototypeOf(ServedRequest.prototype, app.request) as express.Request;
  app.response = Object.setPrototypeOf(ServedResponse.prototype, app.response) as express.Response;
}
