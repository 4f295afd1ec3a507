import type { TestProject } from "vitest/node";
import { findClient } from "./install.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the client's binary; empty where it cannot be had. */
    client: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  const client = await findClient();
  if ("missing" in client) process.stderr.write(`interop: skipped, ${client.missing}\n`);
  project.provide("client", "path" in client ? client.path : "");
}
