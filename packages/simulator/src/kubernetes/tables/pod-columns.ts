import type { Column } from "./column.ts";

/** Returns the columns that kubectl shows for pods. */
export function podColumns(age: Column): Column[] {
  const column = (name: string, cell: (pod: any) => unknown, priority = 0): Column => ({ name, type: "string", priority, cell });
  return [
    column("Ready", readyText),
    column("Status", statusText),
    column("Restarts", (pod) => String(sum(pod, (one) => one.restartCount ?? 0))),
    age,
    column("IP", ({ status }) => status?.podIP ?? "<none>", 1),
    column("Node", ({ spec }) => spec.nodeName ?? "<none>", 1),
    column("Nominated Node", ({ status }) => status?.nominatedNodeName ?? "<none>", 1),
    column("Readiness Gates", () => "<none>", 1),
  ];
}

function sum(pod: any, of: (status: any) => number): number {
  return (pod.status?.containerStatuses ?? []).reduce((total: number, one: any) => total + of(one), 0);
}

function readyText(pod: any): string {
  return `${sum(pod, (one) => (one.ready ? 1 : 0))}/${pod.spec.containers?.length ?? 0}`;
}

function statusText({ metadata, status }: any): string {
  if (metadata.deletionTimestamp) return "Terminating";
  const waiting = (status?.containerStatuses ?? []).find((one: any) => one.state?.waiting?.reason)?.state.waiting.reason;
  if (waiting) return waiting;
  if (status?.phase === "Succeeded") return "Completed";
  if (status?.phase === "Failed") return status.reason ?? "Error";
  return status?.phase ?? "Pending";
}
