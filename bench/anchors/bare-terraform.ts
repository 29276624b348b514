/**
 * Baseline for benchmarks P1 and P2: runs the platform's Terraform commands without the platform. It is a separate process, so that its CPU
 * time can be measured separately. It uses the same provider in the same mode, and an `http` backend that keeps states in memory. Requests
 * arrive over the IPC channel.
 */
import {
  awsProvider,
  azureProvider,
  changeConditions,
  createFileInventory,
  gcpProvider,
  startResidentProvider,
} from "@cloudwright/simulator";
import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A request to this process to run Terraform commands in one working directory. */
export interface BareOrder {
  readonly id: number;
  readonly name: string;
  /** Folder of the Terraform configuration. */
  readonly configuration: string;
  readonly steps: readonly (readonly string[])[];
  readonly variables: object;
  readonly backend: "http" | "local";
}

const [folder = "", terraform = "terraform", quotas = "{}"] = process.argv.slice(2);
const inventory = createFileInventory(join(folder, "inventory"));
// This benchmark never removes its networks, so it would exceed the default quotas.
await changeConditions(inventory, "bare", { quotas: JSON.parse(quotas) as Record<string, number> });
const resident = await startResidentProvider({
  providers: {
    "registry.terraform.io/hashicorp/aws": awsProvider,
    "registry.terraform.io/hashicorp/google": gcpProvider,
    "registry.terraform.io/hashicorp/azurerm": azureProvider,
  },
  tenant: "bare",
  inventory,
  directory: join(folder, "s"),
});
const states = new Map<string, Buffer>();
const endpoint = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const key = (request.url ?? "").split("?")[0] ?? "";
    if (request.method === "POST") states.set(key, Buffer.concat(chunks));
    const state = request.method === "GET" ? states.get(key) : undefined;
    response.writeHead(request.method === "GET" && state === undefined ? 204 : 200).end(state);
  });
});
await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;

process.on("message", (order: BareOrder) => {
  void work(order).then(
    () => process.send?.({ id: order.id }),
    (error: unknown) => process.send?.({ id: order.id, error: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });

async function work({ name, configuration, steps, variables, backend }: BareOrder): Promise<void> {
  const directory = join(folder, backend, name);
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true });
    cpSync(configuration, directory, { recursive: true });
    writeFileSync(join(directory, "x.auto.tfvars.json"), JSON.stringify(variables));
    writeFileSync(join(directory, "backend.tf"), `terraform {\n  backend "${backend}" {}\n}\n`);
  }
  const state = `${address}/${name}`;
  const env = {
    PATH: processEnvironment["PATH"],
    TF_IN_AUTOMATION: "1",
    CHECKPOINT_DISABLE: "1",
    ...resident.environment,
    ...(backend === "http" ? { TF_HTTP_ADDRESS: state, TF_HTTP_LOCK_ADDRESS: state, TF_HTTP_UNLOCK_ADDRESS: state } : {}),
  };
  for (const step of steps) await run(step, directory, env);
}

async function run(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(terraform, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => (said += String(data)));
  child.stdout.resume();
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`terraform ${args.join(" ")} exited with ${String(code)}: ${said}`);
}
