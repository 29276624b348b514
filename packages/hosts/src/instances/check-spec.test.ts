import { Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { checkSpec } from "./check-spec.ts";
import type { InstanceSpec } from "./driver.ts";
import { exampleSpec } from "./testing/example-spec.ts";

function messageOf(change: Partial<InstanceSpec>): string {
  try {
    checkSpec({ ...exampleSpec, ...change });
    return "accepted";
  } catch (error) {
    return error instanceof Fault && error.code === "hosts.bad_instance" ? error.message : String(error);
  }
}

test("a valid specification is accepted", () => {
  expect(messageOf({})).toBe("accepted");
  expect(messageOf({ userData: "#cloud-config\npackages: []\n", nodeOfCluster: true, cpus: 0.5 })).toBe("accepted");
});

test("a message names every invalid field with its value", () => {
  const { port, access } = exampleSpec;
  expect(messageOf({ uid: "../etc", name: "-web", cpus: 0 })).toMatch(/uid is "\.\.\/etc".*name is "-web".*cpus is 0/);
  expect(messageOf({ memoryMib: Number.NaN, diskGib: -1 })).toMatch(/memoryMib is NaN.*diskGib is -1/);
  expect(
    messageOf({ port: { ...port, address: "10.0.0.256", mac: "x", dns: ["::1"], prefixLength: 33, namespace: "../a" } }),
  ).toMatch(/namespace.*address is "10\.0\.0\.256".*dns is "::1".*prefixLength is 33.*mac is "x"/);
  expect(messageOf({ access: { ...access, authorizedKeys: [`${access.authorizedKeys[0]}\nssh-rsa x`] } })).toMatch(
    /authorizedKeys/,
  );
  expect(messageOf({ access: { ...access, user: "a b", hostKey: { privateKey: "x", publicKey: "y" } } })).toMatch(
    /access\.user is "a b".*publicKey contains "y".*privateKey is not/,
  );
  expect(messageOf({ userData: "users: []" })).toMatch(
    /userData starts with "users: \[\]"; it must start with one of: #cloud-config/,
  );
  expect(messageOf({ userData: `#!${"x".repeat(300_000)}` })).toMatch(/larger than/);
});
