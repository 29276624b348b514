import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const platform = new URL("../../packages/platform/src/index.ts", import.meta.url).href;

/**
 * Writes a plug-in and returns its path. The plug-in's networks use secrets in every place that Terraform allows. The secrets come from a
 * file next to the plug-in.
 */
export async function writeSecretivePlugIn(
  folder: string,
  secrets: { readonly password: string; readonly token: string },
): Promise<string> {
  const configuration = join(folder, "infra/secretive/azure/v0.1.0");
  await mkdir(configuration, { recursive: true });
  await writeFile(join(folder, "secrets.json"), JSON.stringify(secrets), { mode: 0o600 });
  await writeFile(join(configuration, "stack.json"), JSON.stringify(requirements));
  await writeFile(join(configuration, "main.tf"), main);
  const path = join(folder, "plug-in.mjs");
  await writeFile(path, plugIn);
  return path;
}

const requirements = { terraform: ">= 1.9, < 2.0", providers: { "cloudwright/sim": "~> 1.0" }, upgradesFrom: [] };

const plugIn = `
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Secret } from ${JSON.stringify(platform)};

const network = {
  service: "network",
  folder: "secretive",
  cloud: "azure",
  variables: ({ name, uid, spec }) => ({ name, cidr: spec["cidr"] || "10.0.0.0/16", entity: uid }),
  secretVariables: () => {
    const { password, token } = JSON.parse(readFileSync(join(import.meta.dirname, "secrets.json"), "utf8"));
    return { password: new Secret(password), token: new Secret(token) };
  },
  environment: () => ({}),
  status: ({ network_id: id }) => ({ network_id: id.value.reveal() }),
  findUntagged: () => undefined,
};

export default { stacks: [network], configurations: [join(import.meta.dirname, "infra")] };
`;

const main = `
terraform {
  required_version = ">= 1.9"
  required_providers {
    sim = {
      source  = "cloudwright/sim"
      version = "~> 1.0"
    }
  }
}

variable "name" { type = string }
variable "cidr" { type = string }
variable "entity" { type = string }
variable "password" {
  type      = string
  sensitive = true
}
variable "token" {
  type      = string
  sensitive = true
}

provider "sim" {
  token = var.token
}

resource "sim_network" "this" {
  name   = var.name
  cidr   = var.cidr
  labels = { "cloudwright:entity" = var.entity }
}

resource "sim_cluster" "this" {
  name       = var.name
  release    = var.cidr
  subnet_ids = [sim_network.this.id]
  password   = var.password
  pool {
    name = "one"
    size = 1
  }
}

output "network_id" { value = sim_network.this.id }
output "login" {
  value     = "admin:\${var.password}@\${sim_cluster.this.endpoint}"
  sensitive = true
}
`;
