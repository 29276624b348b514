import { parseTaskType } from "@cloudwright/contract";
import { expect, test } from "vitest";
import type { Handler, HandlerContext } from "../handler.ts";
import { readPayload } from "../payload.ts";
import { registerDemoHandlers } from "./demo-handler.ts";

/** Returns a demo handler that does not write a journal. */
function findHandler(): Handler {
  const handlers: Handler[] = [];
  registerDemoHandlers({ register: (_, handler) => void handlers.push(handler) } as Parameters<typeof registerDemoHandlers>[0]);
  const [handler] = handlers;
  if (handler === undefined) throw new Error("nothing was registered");
  return handler;
}

function createContext(type: string, spawn: HandlerContext["spawn"]): HandlerContext {
  const kind = { network: "Network", cluster: "Cluster", storage: "Storage" }[parseTaskType(type)?.service as "network"];
  const payload = readPayload(1, { entity: { kind, uid: "0197-1", spec: {} } });
  return { task: { type, uid: "t-1", attempt: 1 }, payload, spawn } as unknown as HandlerContext;
}

test.each(["network", "cluster", "storage"])(
  "X031 a demo task plans a %s immediately, changes nothing, and does not keep a plan",
  async (kind) => {
    const started: string[] = [];
    const context = createContext(`${kind}.plan`, (program) => {
      started.push(program);
      throw new Error("no program is needed");
    });
    const outcome = await findHandler()(context);
    const counts = { create: 0, update: 0, replace: 0, delete: 0, import: 0 };
    expect({ outcome, started }).toEqual({ outcome: { outcome: "done", outputs: { counts } }, started: [] });
  },
);

test("M042 a demo task finds no drift", async () => {
  const context = createContext("network.check", () => Promise.reject(new Error("no program is needed")));
  expect(await findHandler()(context)).toEqual({
    outcome: "done",
    outputs: { drifted: false, summary: "", items: [], ignored: 0 },
  });
});
