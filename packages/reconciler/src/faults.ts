import { defineFaults } from "@cloudwright/platform";

export const reconcilerFaults = defineFaults("reconciler", {
  cancelled: {
    kind: "conflict",
    when: "an operation, or a task of it, was cancelled",
    help: "Retry the operation, change the entity, or delete it.",
  },
  children_failed: {
    kind: "conflict",
    when: "an entity cannot be deleted because something below it could not",
    help: "Retry the deletion of what is named, or force it; the deletion above goes on by itself then.",
  },
  denied: {
    kind: "denied",
    when: "a policy in force does not allow the entity as it is asked for",
    help: "Change the entity as the message says, or have the policy changed.",
  },
  unexplained: {
    kind: "internal",
    when: "a task failed and its agent did not say why",
    help: "Look into the task's log (cloud operation logs) and the agent's own.",
  },
});
