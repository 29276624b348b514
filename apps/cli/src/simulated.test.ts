import { expect, test } from "vitest";
import { createFakeWorld, type FakeWorld } from "./testing/fake-world.ts";

const base = "/v1/projects/default";

/** Creates a real and a simulated account, each with a network and a cluster. */
function createTwoPlatforms(): FakeWorld {
  const fake = createFakeWorld();
  for (const name of ["real", "sim"]) {
    fake.server.put(`${base}/accounts/${name}`, { metadata: { name }, spec: { aws: {}, simulated: name === "sim" } });
    fake.server.put(`${base}/networks/${name}`, { metadata: { name }, spec: { account: name } });
    fake.server.put(`${base}/clusters/${name}`, { metadata: { name }, spec: { network: name } });
  }
  return fake;
}

test("M243 tables and descriptions mark entities of simulated accounts, and no others", async () => {
  const { run } = createTwoPlatforms();
  for (const kind of ["network", "cluster"]) {
    const lines = (await run("list", kind)).out.split("\n").filter((line) => line.includes("(simulated)"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^sim /);
    expect((await run("get", kind, "sim")).out).toContain("sim (simulated)");
    expect((await run("describe", kind, "sim")).out).toMatch(/^Simulated: +yes/m);
    expect((await run("describe", kind, "real")).out).not.toContain("Simulated");
  }
});

test("M243 entities stay unmarked if the caller may not see the account, and formats for programs never look it up", async () => {
  const { run, server } = createTwoPlatforms();
  server.remove(`${base}/accounts/sim`);
  expect(await run("list", "network")).toMatchObject({ code: 0, out: expect.not.stringContaining("(simulated)") });
  const before = server.requests.length;
  await run("get", "cluster", "sim", "-o", "name");
  expect(server.requests.length - before).toBe(1);
});
