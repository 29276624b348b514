import { createLogger, pickChildEnvironment, processEnvironment, Secret } from "@cloudwright/platform";
import { createHandlerRegistry, createRemoteHandler, serveHandlers, type HandlerContext } from "@cloudwright/task-client";
import { createTestTask, renderTestPayload } from "@cloudwright/deployer/testing";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openTestPlatform, terraform, type TestPlatform } from "../testing/test-platform.ts";

describe.skipIf(!terraform.found)("a deployer as a separate service with real Terraform", () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await openTestPlatform()));
  afterAll(() => platform?.close());

  test("M056 X030 it plans and applies on the state that the agent opened, and never prints the password", async () => {
    const deployer = platform.createDeployer();
    const registry = createHandlerRegistry();
    registry.register({ types: deployer.types }, (context) => deployer.handle(context));
    const said: string[] = [];
    const stream = { write: (line: string): void => void said.push(line) };
    const token = new Secret("a-token-of-the-test");
    const directory = join(platform.directory, "remote");
    mkdirSync(directory);
    const served = await serveHandlers(
      { log: createLogger({ level: "trace", name: "deployer", stream }), registry },
      {
        listen: { host: "127.0.0.1", port: 0 },
        token,
        directory,
        environment: pickChildEnvironment(processEnvironment),
        cancelGraceMs: 5000,
      },
    );
    onTestFinished(() => served.close());
    const handle = createRemoteHandler({ url: served.url, token });
    const lines: string[] = [];
    const never = (): never => {
      throw new Error("the agent starts nothing itself");
    };
    const run = async (type: string, plan?: string) => {
      const options = { entityUid: "remote-entity", spec: { zones: ["a"] }, ...(plan === undefined ? {} : { plan }) };
      const { task, payload } = createTestTask(type, options);
      return handle({
        task: { ...task, entityUid: payload.entity.uid, attempt: 1, payloadVersion: 1 },
        payload,
        payloadJson: renderTestPayload(type, options),
        directory: platform.directory,
        resumed: false,
        signal: new AbortController().signal,
        remainingMs: () => 60_000,
        log: (line: string) => lines.push(line),
        progress: () => undefined,
        spawn: never,
        openState: async () => platform.endpoint.access("remote-entity"),
      } as unknown as HandlerContext);
    };
    const planned = await run("network.plan");
    expect(planned).toMatchObject({ outcome: "done", outputs: { counts: { delete: 0 } } });
    const uid = planned.outcome === "done" ? (planned.outputs?.["plan"] as string) : "";
    expect(await run("network.apply", uid)).toMatchObject({
      outcome: "done",
      outputs: { network_id: expect.any(String) as string },
    });
    expect(await run("network.apply", uid)).toMatchObject({
      outcome: "failed",
      fault: { code: "deployer.plan_gone", permanent: true },
    });
    expect(await run("network.destroy")).toMatchObject({ outcome: "done" });
    expect(await platform.inventory.list("0199-account")).toEqual([]);
    expect(lines.join("\n")).toContain("aws_vpc.this");
    const password = platform.endpoint.access("remote-entity").password.reveal();
    expect(said.length).toBeGreaterThan(0);
    expect(said.join("") + lines.join("")).not.toContain(password);
  });
});
