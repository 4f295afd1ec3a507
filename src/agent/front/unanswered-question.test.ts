import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { scripted } from "../../models/internal.ts";
import { makeWorld } from "../fixtures/agent-run.ts";
import type { SignalName } from "./front-io.ts";
import { runInteractive } from "./interactive.ts";

async function begin(names: readonly string[]) {
  const world = makeWorld({ hooks: {} });
  onTestFinished(world.remove);
  const { project: cwd, home, env, store } = world;
  const stdin = new PassThrough();
  let out = "";
  let signal: (name: SignalName) => void = () => undefined;
  const answers = names.flatMap((name) => [
    { calls: [{ tool: "Bash", input: { command: `touch ${name}` } }] },
    { text: `done with ${name}` },
  ]);
  const ran = runInteractive(
    { cwd, home, env, store, version: "0", model: await scripted({ answers }) },
    {
      stdin,
      out: async (text) => {
        out += text;
      },
      err: async () => undefined,
      onSignal: (listener) => {
        signal = listener;
        return () => undefined;
      },
      leave: () => undefined,
    },
  );
  const shown = (text: string) => expect.poll(() => out).toContain(text);
  const made = (name: string) => existsSync(join(cwd, name));
  return {
    ran,
    type: (line: string) => stdin.write(`${line}\n`),
    end: () => stdin.end(),
    shown,
    made,
    interrupt: () => signal("SIGINT"),
  };
}

test("input after an interrupt is a prompt, not the answer to the interrupted question", async () => {
  const { ran, type, end, shown, made, interrupt } = await begin(["a"]);
  await shown("> ");
  type("go");
  await shown("touch a");
  interrupt();
  await shown("Interrupted.");
  type("again");
  await shown("done with a");
  end();
  expect([await ran, made("a")]).toEqual([0, false]);
});

test("a question after the end of input gets no answer and does not block", async () => {
  const { ran, type, end, shown, made } = await begin(["a"]);
  await shown("> ");
  type("go");
  end();
  expect([await ran, made("a")]).toEqual([0, false]);
});
