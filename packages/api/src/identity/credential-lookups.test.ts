import { createManualClock, Fault, Secret } from "@cloudwright/platform";
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { apiFaults } from "../faults.ts";
import { createCredentialLookups } from "./credential-lookups.ts";
import { createRunPassword, isRunPassword } from "./run-password.ts";

const source = "192.0.2.7";
const setUp = (requestsPerSecond = 10) => {
  const clock = createManualClock();
  return { clock, lookups: createCredentialLookups({ clock }, { requestsPerSecond }) };
};
const reject = (): Promise<never> => Promise.reject(new Fault(apiFaults.unauthenticated, "unknown"));
const codeOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => "",
    (error: unknown) => (error as Fault).code,
  );

describe("X063 strangers' credentials", () => {
  test("are rejected without a lookup when their source has sent too many", async () => {
    const { lookups } = setUp();
    let found = 0;
    const codes: string[] = [];
    for (let nth = 0; nth < 30; nth += 1)
      codes.push(
        await codeOf(
          lookups.run(`bogus-${nth}`, source, () => {
            found += 1;
            return reject();
          }),
        ),
      );
    expect(found).toBe(10);
    expect(codes.slice(10)).toEqual(Array.from({ length: 20 }, () => "api.rate_limited"));
    expect(await lookups.run("other", "192.0.2.8", () => Promise.resolve("ada"))).toBe("ada");
  });

  test("are looked up four at a time per source", async () => {
    const { lookups } = setUp(1000);
    let running = 0;
    let most = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const find = async (): Promise<undefined> => {
      running += 1;
      most = Math.max(most, running);
      await promise;
      running -= 1;
    };
    const runs = Array.from({ length: 50 }, (_, nth) => lookups.run(`bogus-${nth}`, source, find));
    await expect.poll(() => running).toBe(4);
    expect(await lookups.run("other", "192.0.2.8", () => Promise.resolve("ada"))).toBe("ada");
    resolve();
    await Promise.all(runs);
    expect(most).toBe(4);
  });

  test("do not lock out accepted or signed credentials from the same source", async () => {
    const { lookups, clock } = setUp();
    const accept = (): Promise<string> => Promise.resolve("ada");
    expect(await lookups.run("honest", source, accept)).toBe("ada");
    for (let nth = 0; nth < 30; nth += 1) await codeOf(lookups.run(`bogus-${nth}`, source, reject));
    expect(await lookups.run("honest", source, accept)).toBe("ada");
    expect(await lookups.run("signed", source, accept, () => true)).toBe("ada");
    expect(await codeOf(lookups.run("newcomer", source, accept))).toBe("api.rate_limited");
    clock.advance(1000);
    expect(await lookups.run("newcomer", source, accept)).toBe("ada");
  });

  test("count once a formerly accepted credential is rejected, and accepted credentials do not count", async () => {
    const { lookups } = setUp();
    for (let nth = 0; nth < 50; nth += 1) await lookups.run(`honest-${nth}`, source, () => Promise.resolve(nth));
    expect(await codeOf(lookups.run("honest-1", source, reject))).toBe("api.unauthenticated");
    expect(lookups.isKnown("honest-1")).toBe(false);
    expect(lookups.isKnown("honest-2")).toBe(true);
  });
});

test("X063 a run's password is recognised without a lookup, only for its own task, and even after a key rotation", () => {
  const old = new Secret(randomBytes(32));
  const ring = { primary: "a", keys: new Map([["a", old]]) };
  const task = "0199a000-0000-7000-8000-000000000001";
  const password = createRunPassword(ring, task);
  const rotated = { primary: "b", keys: new Map([["b", new Secret(randomBytes(32))], ["a", old] as const]) };
  const stranger = { primary: "a", keys: new Map([["a", new Secret(randomBytes(32))]]) };
  expect([ring, rotated, stranger].map((keys) => isRunPassword(keys, task, password))).toEqual([true, true, false]);
  expect(isRunPassword(ring, "0199a000-0000-7000-8000-000000000002", password)).toBe(false);
  const [first = "", mac = ""] = password.split(".");
  for (const forged of [
    "",
    "cws_x",
    first,
    `${first}.`,
    `${first}.${mac.slice(1)}`,
    `${password}A`,
    `cws_${"A".repeat(43)}.${mac}`,
  ])
    expect(isRunPassword(ring, task, forged)).toBe(false);
});
