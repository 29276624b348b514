import { createHash } from "node:crypto";
import { numberOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation, ApiRequest, OpenedCall, ServiceDeps } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { findById } from "../arm-resources.ts";
import { refuse, refuseToken } from "../errors.ts";

const purpose = "azure serial console";
const pattern = /^\/bootdiagnostics\/(?<sealed>[\w-]{40,2000})\/serialconsole\.log$/;

/** Returns a link to a machine's serial console. Anyone who has the link can read the log until the link expires. */
export async function createConsoleLink(call: ApiCall, { id }: CloudRecord, minutes: number): Promise<string> {
  const { tenant } = call.caller;
  const generation = await call.identity.getGeneration(tenant);
  const untilMs = Math.floor(call.nowMs) + minutes * 60_000;
  const sealed = call.identity.seal(purpose, { tenant, id, generation, untilMs });
  return `${call.origin}/bootdiagnostics/${sealed}/serialconsole.log`;
}

/** Returns whether a request follows a link to a serial console. */
export function isConsoleLink({ method, rawPath }: Pick<ApiRequest, "method" | "rawPath">): boolean {
  return method === "GET" && pattern.test(rawPath);
}

/** Verifies a link to a serial console. */
export async function openConsoleLink({ rawPath }: ApiRequest, deps: ServiceDeps): Promise<OpenedCall> {
  const sealed = deps.identity.unseal(purpose, pattern.exec(rawPath)?.groups?.["sealed"] ?? "");
  const tenant = textOf(sealed?.["tenant"]);
  const wrong = refuseToken("AuthenticationFailed", "Server failed to authenticate the request.");
  if (sealed === undefined || !deps.isTenant(tenant)) throw wrong;
  const generation = await deps.identity.findGeneration(tenant);
  if (generation !== sealed["generation"] || numberOf(sealed["untilMs"]) <= (await deps.nowFor(tenant))) throw wrong;
  return {
    operation: consoleOperation,
    parameters: { id: textOf(sealed["id"]) },
    query: new URLSearchParams(),
    body: {},
    caller: { tenant, name: "console link" },
    provider: {},
  };
}

const consoleOperation: ApiOperation = {
  name: "GetSerialConsoleLog",
  match: { method: "GET", path: "/bootdiagnostics/{sealed}/serialconsole.log" },
  touches: { type: "azurerm_linux_virtual_machine", operation: "read" },
  async run(call) {
    const machine = await findById(call, "azurerm_linux_virtual_machine", call.parameters["id"] ?? "");
    if (machine === undefined) return refuse("BlobNotFound", "The specified blob does not exist.", 404);
    return { headers: { "content-type": "text/plain; charset=utf-8" }, content: printConsole(machine) };
  },
};

/** Renders the console output of a booting machine. The host key is derived from the machine's own id, so that it never changes. */
function printConsole({ attributes }: CloudRecord): string {
  const host = textOf(attributes["computer_name"]);
  const length = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const digest = createHash("sha256")
    .update(`host key ${textOf(attributes["virtual_machine_id"])}`)
    .digest();
  const key = Buffer.concat([length(Buffer.from("ssh-ed25519")), length(digest)]);
  return [
    "[    0.000000] Linux version 6.8.0-azure",
    "-----BEGIN SSH HOST KEY KEYS-----",
    `ssh-ed25519 ${key.toString("base64")} root@${host}`,
    "-----END SSH HOST KEY KEYS-----",
    "[    4.210000] cloud-init: finished",
    `${host} login: `,
    "",
  ].join("\n");
}
