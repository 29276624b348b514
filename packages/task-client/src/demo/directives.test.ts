import { expect, test } from "vitest";
import { readPayload } from "../payload.ts";
import { findDirectives } from "./directives.ts";

function read(annotations: Record<string, string>, type = "network.apply") {
  return findDirectives({ type }, readPayload(1, { action: "apply", entity: { kind: "Network", annotations } }));
}

test("M053 a demo task obeys the annotation for its type, its action or all types", () => {
  expect(read({ "demo.cloudwright.dev/network.apply": "sleep=2s" })?.sleepMs).toBe(2000);
  expect(read({ "demo.cloudwright.dev/apply": "sleep=150ms; fail=2" })).toMatchObject({ sleepMs: 150, failUntil: 2 });
  expect(read({ "demo.cloudwright.dev/*": "crash; ignore-cancel" })).toMatchObject({ crashUntil: Infinity, ignoreCancel: true });
  expect(read({ "demo.cloudwright.dev/*": "fail=permanent" })).toMatchObject({ failPermanently: true });
  expect(read({ "demo.cloudwright.dev/*": 'outputs={"network_id":"n-1"}' })?.outputs).toEqual({ network_id: "n-1" });
  expect(read({ "demo.cloudwright.dev/destroy": "fail" })).toBeUndefined();
  expect(read({})).toBeUndefined();
});

test.each(["sleep=soon", "explode", "fail=often", "outputs={"])("M053 a demo task rejects %s", (text) => {
  expect(() => read({ "demo.cloudwright.dev/*": text })).toThrow(expect.objectContaining({ code: "task_client.bad_payload" }));
});
