import { Secret } from "@cloudwright/platform";
import { generateKeyPairSync } from "node:crypto";
import type { CloudAccount } from "../../cloud-provider.ts";
import { createGcpProvider } from "../provider.ts";
import { startGoogleServer, type GoogleServer } from "./google-server.ts";

export const project = "my-project-1";
export const region = "europe-west1";
export const email = `deployer@${project}.iam.gserviceaccount.com`;

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** A service account key that the stand-in server accepts. */
export const serviceAccountKey = JSON.stringify({
  type: "service_account",
  project_id: project,
  private_key_id: "key-1",
  private_key: privateKey,
  client_email: email,
  // Nothing listens on this address. The provider must ignore the addresses in a key.
  token_uri: "http://127.0.0.1:1/token",
});

/** A line of the private key, for tests that search for leaked secrets. */
export const privateKeyLine = privateKey.split("\n")[3] ?? "";

export interface OpenGoogle {
  readonly server: GoogleServer;
  /** Opens an account with the given credentials. */
  open(gcp?: Readonly<Record<string, unknown>>, identityTokenFile?: string): CloudAccount;
}

/** Starts the stand-in server with a project, a region with three zones, and an identity. */
export async function openGoogle(): Promise<OpenGoogle> {
  const server = await startGoogleServer(publicKey);
  const { resources, answers, endpoints } = server;
  answers.set(`GET resource_manager/v1/projects/${project}`, { projectId: project, lifecycleState: "ACTIVE" });
  answers.set("POST oauth2/tokeninfo", ({ token }) => ({
    email: token === "token-of-key" ? email : token.replace("token-of-", ""),
  }));
  for (const zone of ["b", "c", "d"])
    resources.set(`projects/${project}/zones/${region}-${zone}`, { status: "UP", region: `x/regions/${region}` });
  resources.set(`projects/${project}/zones/us-east1-b`, { status: "UP", region: "x/regions/us-east1" });
  resources.set(`projects/${project}`, {
    quotas: [
      { metric: "NETWORKS", limit: 15, usage: 1 },
      { metric: "CPUS_ALL_REGIONS", limit: 32, usage: 20 },
    ],
  });
  resources.set(`projects/${project}/regions/${region}`, {
    status: "UP",
    quotas: [
      { metric: "CPUS", limit: 24, usage: 4 },
      { metric: "STATIC_ADDRESSES", limit: 8, usage: 0 },
      { metric: "N2_CPUS", limit: 8, usage: 0 },
    ],
  });
  const type = { name: "e2-standard-2", guestCpus: 2 };
  for (const zone of ["b", "c"]) resources.set(`projects/${project}/zones/${region}-${zone}/machineTypes/${type.name}`, type);
  resources.set(`projects/${project}/zones/us-east1-b/machineTypes/${type.name}`, type);
  return {
    server,
    open: (gcp = { projectId: project, serviceAccountKey }, identityTokenFile) =>
      createGcpProvider({ endpoints, ...(identityTokenFile === undefined ? {} : { identityTokenFile }) }).openAccount({
        account: "prod",
        spec: {},
        region,
        session: "cloudwright-test",
        openCredentials: async () => new Secret({ gcp }),
      }),
  };
}
