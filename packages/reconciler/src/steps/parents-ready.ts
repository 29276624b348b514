import type { Step } from "../engine/step.ts";

const usable = new Set(["RUNNING", "DEGRADED"]);

/** What the entity lies in must be there before anything is built in it. */
export const parentsReady: Step = {
  name: "parents",
  condition: "ParentsReady",
  weight: 0,
  decide({ above }) {
    const parent = above[0];
    if (parent === undefined) return { do: "continue" };
    const { metadata, status } = parent.object;
    const phase = typeof status["phase"] === "string" ? status["phase"] : "";
    if (metadata.deletedAt === undefined && usable.has(phase)) return { do: "continue" };
    const state = metadata.deletedAt === undefined ? phase : "DELETING";
    return {
      do: "wait",
      reason: "ParentNotReady",
      message: `waits for ${parent.kind} "${metadata.name ?? ""}", which is ${state}`,
    };
  },
};
