import { expect, test } from "vitest";
import { listTasks } from "./list-tasks.ts";

test("X010 an operation without steps shows the logs of the tasks in its timeline", () => {
  const timeline = [
    { source: "api", reason: "ForgetRequested" },
    { source: "task", task: "t1", taskType: "network.forget", reason: "TaskEnqueued" },
    { source: "task", task: "t1", taskType: "network.forget", reason: "TaskDone" },
  ];
  expect(listTasks([], timeline, true)).toEqual([{ uid: "t1", name: "network.forget", state: "DONE" }]);
  const steps = [{ name: "plan", state: "DONE", task: "t2" }, { name: "approval" }];
  expect(listTasks(steps, timeline, false)).toEqual([{ uid: "t2", name: "plan", state: "DONE" }]);
});
