import type { JudgedChange } from "@cloudwright/api";
import { describeError } from "@cloudwright/platform";
import { loadRules } from "@cloudwright/policy";
import { parentPort, workerData } from "node:worker_threads";
import { decidePlan } from "./decide-plan.ts";
import type { JudgeJob, JudgeReply } from "./judge-plans.ts";
import type { RuleFile } from "./read-rule-files.ts";

/** Entry point of the thread that evaluates large plans. It handles one plan at a time. */
const book = loadRules(workerData as readonly RuleFile[]);
let changes: JudgedChange[] = [];

parentPort?.on("message", (job: JudgeJob) => parentPort?.postMessage(handle(job)));

function handle(job: JudgeJob): JudgeReply {
  if (job.kind === "changes") {
    if (job.isFirst) changes = [];
    for (const change of job.changes) changes.push(change);
    return { findings: [] };
  }
  try {
    const { placed, allow, upgradedFrom } = job;
    return { findings: decidePlan(book, { placed, changes, allow, upgradedFrom }) };
  } catch (error) {
    return { failure: describeError(error) };
  } finally {
    changes = [];
  }
}
