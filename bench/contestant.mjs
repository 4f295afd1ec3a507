import { fork } from "node:child_process";
import { median } from "./statistics.mjs";

/**
 * Runs each contestant in its own process and measures them in turn, round after round: what one loads does not slow the others down, and a
 * busy machine slows all of them equally. Returns the median nanoseconds per call, of CPU or of the wall clock, for each.
 */
export async function inTurn(contestants, { rounds, perRound, warmUp = 3, clock }) {
  const running = Object.entries(contestants).map(([name, { file, args }]) => ({
    name,
    child: fork(file, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
    times: [],
  }));
  try {
    for (let round = -warmUp; round < rounds; round++) {
      for (const { child, times } of running) {
        const took = await ask(child, { perRound, clock });
        if (round >= 0) times.push(took);
      }
    }
  } finally {
    for (const { child } of running) child.kill();
  }
  return Object.fromEntries(running.map(({ name, times }) => [name, median(times)]));
}

function ask(child, order) {
  return new Promise((resolve, reject) => {
    const gone = (code) => reject(new Error(`a contestant ended with ${code}`));
    child.once("exit", gone);
    child.once("message", (took) => {
      child.off("exit", gone);
      resolve(took);
    });
    child.send(order);
  });
}

/** The other side: answers each order with what one call of `work` took. */
export function answerOrders(work) {
  const clocks = {
    wall: () => Number(process.hrtime.bigint()),
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) * 1_000;
    },
  };
  process.on("message", async ({ perRound, clock }) => {
    const now = clocks[clock];
    const begun = now();
    for (let i = 0; i < perRound; i++) await work();
    process.send((now() - begun) / perRound);
  });
}
