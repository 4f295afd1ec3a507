import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { turnAway } from "../loopback/index.ts";
import type { ClientWire } from "./client-call.ts";

/** Through the server of HTTP. */
export function replyWire(reply: ServerResponse): ClientWire {
  return {
    turnAway: (status, why, headers) => turnAway(reply, status, why, headers),
    still: () => reply.writeProcessing(),
    send(headers, body) {
      if (reply.headersSent || reply.destroyed) return;
      reply.writeHead(200, headers);
      reply.end(body);
    },
    onClose(tell) {
      reply.on("close", () => tell(reply.writableFinished));
    },
  };
}

/** Straight to the connection, in the same words. */
export function socketWire(socket: Socket): ClientWire {
  const write = (status: number, headers: Readonly<Record<string, string>>, body: string): void => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  };
  return {
    turnAway(status, why, headers = {}) {
      const body = JSON.stringify({ error: why });
      const told = { "Content-Length": String(Buffer.byteLength(body)), "Content-Type": "application/json" };
      write(status, { ...told, Connection: "close", ...headers }, body);
    },
    still: () => void socket.write("HTTP/1.1 102 Processing\r\n\r\n"),
    send: (headers, body) => write(200, headers, body),
    onClose(tell) {
      socket.on("close", () => tell(socket.writableFinished));
    },
  };
}
