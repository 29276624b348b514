import type { Phase } from "../engine/phase.ts";

/** Children go before what they lie in. */
export const childrenGone: Phase = {
  name: "children",
  condition: "ChildrenGone",
  weight: 0,
  decide({ children }) {
    if (children.count === 0) return { do: "continue" };
    const more = children.count > children.some.length ? ` and ${children.count - children.some.length} more` : "";
    const verb = children.count === 1 ? "is" : "are";
    return { do: "wait", reason: "ChildrenRemain", message: `waits until ${children.some.join(", ")}${more} ${verb} gone` };
  },
};
