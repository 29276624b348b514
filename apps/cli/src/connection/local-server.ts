import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A server that was started with this home directory. It may no longer be running. */
export interface LocalServer {
  readonly address: string;
  readonly adminKey: string | undefined;
}

/** Finds the server by the files it writes to the home directory. Returns undefined if no server was ever started there. */
export function findLocalServer(home: string): LocalServer | undefined {
  const text = readIfThere(join(home, "server.json"));
  if (text === undefined) return undefined;
  try {
    const { address } = JSON.parse(text) as { address?: unknown };
    return typeof address === "string" ? { address, adminKey: readIfThere(join(home, "admin.key"))?.trim() } : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
