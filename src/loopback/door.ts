import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type WholeRequest, wholeRequest } from "./whole.ts";

/** Looks at what connections to a server of HTTP say first. */
export interface Door {
  /** Ends the connections that the server does not know of. */
  end(): void;
}

/** Whoever says nothing for so long after the connection was made is not waited for. */
const firstWordMs = 5_000;

/**
 * What `take` does not take, the server gets as if nobody had looked. It listens itself, for Node looks after the slow connections of
 * servers that listen and of no others.
 */
export function openDoor(http: Server, take: (request: WholeRequest, socket: Socket) => boolean): Door {
  const here = new Set<Socket>();
  const behind = http.listeners("connection");
  http.removeAllListeners("connection");
  http.on("connection", (socket: Socket) => {
    const late = setTimeout(() => socket.destroy(), firstWordMs);
    here.add(socket);
    socket.on("close", () => {
      clearTimeout(late);
      here.delete(socket);
    });
    // A client that is gone is told by the close that follows.
    socket.on("error", () => undefined);
    socket.once("data", (piece: Buffer) => {
      clearTimeout(late);
      const request = wholeRequest(piece);
      if (request !== undefined && take(request, socket)) return;
      here.delete(socket);
      socket.pause();
      socket.unshift(piece);
      for (const listener of behind) listener.call(http, socket);
      socket.resume();
    });
    socket.once("end", () => {
      if (here.has(socket) && socket.bytesRead === 0) socket.destroy();
    });
  });
  return {
    end() {
      for (const socket of here) socket.destroy();
    },
  };
}
