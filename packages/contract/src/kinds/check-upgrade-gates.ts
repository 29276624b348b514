import type { FieldViolation } from "@cloudwright/platform";
import type { GateService, UpgradeGate } from "../../gen/cloudwright/v1/cluster_pb.ts";

/** Checks the rules for upgrade gates that the proto file cannot express. */
export function checkUpgradeGates(gates: readonly UpgradeGate[]): FieldViolation[] {
  const names = gates.map(({ name }) => name);
  return gates.flatMap((gate, index) => {
    const field = `spec.upgrade.gates[${index}]`;
    const isTwice = names.indexOf(gate.name) !== index;
    const twice = isTwice ? [{ field: `${field}.name`, message: `"${gate.name}" is already the name of another gate` }] : [];
    return [...twice, ...checkThreshold(gate, field), ...checkTarget(gate, field)];
  });
}

function checkThreshold({ check }: UpgradeGate, field: string): FieldViolation[] {
  if (check.case !== "metric" || Number.isFinite(check.value.threshold)) return [];
  return [{ field: `${field}.metric.threshold`, message: "must be a finite number" }];
}

function checkTarget({ check }: UpgradeGate, field: string): FieldViolation[] {
  if (check.case !== "http" && check.case !== "metric") return [];
  const at = `${field}.${check.case}`;
  const { service, url } = check.value;
  const path = check.case === "http" ? check.value.path : "";
  if ((service === undefined) === (url === "")) return [{ field: at, message: "must set either service or url" }];
  if (service !== undefined) return [...checkPort(service, at), ...checkPath(path, at)];
  if (path !== "") return [{ field: `${at}.path`, message: "must not be set together with url; add the path to the URL" }];
  return checkUrl(url, at);
}

function checkPort({ port }: GateService, at: string): FieldViolation[] {
  if (Number(port) <= 65_535 || Number.isNaN(Number(port))) return [];
  return [{ field: `${at}.service.port`, message: "must be at most 65535" }];
}

/** Rejects paths that the API server could resolve to something other than the service. */
function checkPath(path: string, at: string): FieldViolation[] {
  if (isPlainGatePath(path)) return [];
  const message = "must start with / and contain only letters, digits and - . _ ~ /, without empty segments, . or .. segments";
  return [{ field: `${at}.path`, message }];
}

/** Returns whether a path has no characters or segments that a proxy could interpret differently. */
export function isPlainGatePath(path: string): boolean {
  if (path === "" || path === "/") return true;
  return /^(\/[A-Za-z0-9._~-]+)+\/?$/.test(path) && path.split("/").every((part) => part !== "." && part !== "..");
}

function checkUrl(text: string, at: string): FieldViolation[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return [{ field: `${at}.url`, message: "must be an http or https URL" }];
  if (url.username !== "" || url.password !== "")
    return [{ field: `${at}.url`, message: "must not contain a user name or password; gates send no credentials" }];
  return url.hash === "" ? [] : [{ field: `${at}.url`, message: "must not contain a fragment" }];
}
