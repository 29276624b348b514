import { Fault } from "@cloudwright/api-client";
import { expect, test } from "vitest";
import { saveDraft } from "./save-draft.ts";

const stale = (): Fault =>
  new Fault({ code: "store.stale", kind: "conflict", retry: "never", when: "", help: "" }, "changed since");

/** A server whose entity changes its version before each of the first requests. */
function createServer(changes: number): { readonly sent: string[]; readonly steps: Parameters<typeof saveDraft>[0] } {
  const sent: string[] = [];
  let version = 1;
  return {
    sent,
    steps: {
      version: "1",
      update: async (each) => {
        sent.push(each);
        if (sent.length <= changes) version += 1;
        if (each !== String(version)) throw stale();
      },
      get: async () => ({ metadata: { resourceVersion: String(version) } }),
      isUnchanged: () => true,
    },
  };
}

test("M015 a draft is saved although the status changes between two requests", async () => {
  const { sent, steps } = createServer(3);
  await saveDraft(steps);
  expect(sent).toEqual(["1", "2", "3", "4"]);
});

test("M015 a draft is not saved over another user's change", async () => {
  const { sent, steps } = createServer(1);
  await expect(saveDraft({ ...steps, isUnchanged: () => false })).rejects.toMatchObject({ code: "store.stale" });
  expect(sent).toEqual(["1"]);
});

test("M015 saving ends with an error if the entity never stops changing, and other errors are not repeated", async () => {
  const { sent, steps } = createServer(100);
  await expect(saveDraft(steps)).rejects.toMatchObject({ code: "store.stale" });
  expect(sent.length).toBeLessThan(10);
  const failing = { ...steps, update: () => Promise.reject(new Error("lost")) };
  await expect(saveDraft(failing)).rejects.toThrow("lost");
});
