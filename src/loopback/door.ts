import type { Server as HttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { type WholeRequest, wholeRequest } from "./whole.ts";

/** Where connections to a socket come in. */
export interface Door {
  readonly server: Server;
  /** Ends the connections that never got to the server of HTTP. */
  end(): void;
}

/** Whoever says nothing for so long after the connection was made is not waited for. */
const firstWordMs = 5_000;

/** Looks at what a connection says first. What `take` does not take goes on to the server of HTTP as if it had come there. */
export function openDoor(http: HttpServer, take: (request: WholeRequest, socket: Socket) => boolean): Door {
  const here = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
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
      http.emit("connection", socket);
      socket.resume();
    });
    socket.once("end", () => {
      if (here.has(socket) && socket.bytesRead === 0) socket.destroy();
    });
  });
  return {
    server,
    end() {
      for (const socket of here) socket.destroy();
    },
  };
}
