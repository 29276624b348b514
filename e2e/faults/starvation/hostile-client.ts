/**
 * A hostile client that runs in its own process. Its argument is an `Attack` as JSON. It attacks only loopback addresses, and runs until it
 * is killed.
 */
import { setTimeout } from "node:timers/promises";
import { createRandom } from "@cloudwright/platform/testing";
import type { Attack } from "./attack.ts";
import { connectionAttacks } from "./connection-attacks.ts";
import { requestAttacks } from "./request-attacks.ts";

const attacks = { ...connectionAttacks, ...requestAttacks };
export const hostileKinds: readonly string[] = Object.keys(attacks);

if (import.meta.main) {
  const attack = JSON.parse(process.argv[2] ?? "") as Attack;
  if (!["127.0.0.1", "localhost"].includes(new URL(attack.url).hostname)) throw new Error("only loopback addresses are attacked");
  const random = createRandom(attack.seed);
  process.stdout.write("ready\n");
  for (;;) {
    await attacks[attack.kind]?.(attack, random).catch(() => undefined);
    await setTimeout(10);
  }
}
