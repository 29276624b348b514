import { createLogger, pickChildEnvironment, processEnvironment, Secret } from "@cloudwright/platform";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, type Agent, type AgentOptions } from "../agent.ts";
import { createHandlerRegistry, type HandlerRegistry } from "../registry.ts";
import type { FakeServer } from "./fake-server.ts";

/** Runs cleanup functions after a test, in reverse order. */
export interface Cleanup {
  add(act: () => Promise<void> | void): void;
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const acts: (() => Promise<void> | void)[] = [];
  return {
    add: (act) => void acts.push(act),
    async run() {
      for (const act of acts.splice(0).toReversed()) await act();
    },
  };
}

/** Creates a temporary directory that is deleted after the test. */
export function createTestDirectory(cleanup: Cleanup): string {
  const directory = mkdtempSync(join(tmpdir(), "agent-"));
  cleanup.add(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts an agent that has joined the fake server and takes tasks. */
export async function startTestAgent(
  server: FakeServer,
  cleanup: Cleanup,
  given: Partial<AgentOptions> & { handlers?: HandlerRegistry } = {},
): Promise<Agent & { readonly directory: string; readonly handlers: HandlerRegistry }> {
  const directory = given.directory ?? createTestDirectory(cleanup);
  const handlers = given.handlers ?? createHandlerRegistry();
  const token = server.issueJoinToken();
  const agent = createAgent(
    { log: createLogger({ level: "silent", name: "agent" }), registry: handlers },
    {
      server: server.url,
      name: "agent-a",
      labels: { cloud: "*" },
      slots: { long: 4, short: 8 },
      joinToken: () => new Secret(token),
      environment: pickChildEnvironment(processEnvironment),
      stopGraceMs: 0,
      cancelGraceMs: 5000,
      ...given,
      directory,
    },
  );
  cleanup.add(() => agent.stop());
  await agent.start();
  return { ...agent, directory, handlers };
}
