import { createProvider, type OwnedResource } from "@cloudwright/clouds";
import { Secret } from "@cloudwright/platform";
import { generateKeyPairSync } from "node:crypto";
import { project, type GoogleCloud } from "./google-cloud.ts";

const services = ["COMPUTE", "CONTAINER", "STORAGE", "KMS", "IAM_BETA", "RESOURCE_MANAGER", "OAUTH2"];

/** Lists the resources that an entity owns, in the same way as the platform does when it resumes an interrupted run. */
export async function listOwned({ address }: GoogleCloud, entityUid: string, region: string): Promise<readonly OwnedResource[]> {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const serviceAccountKey = JSON.stringify({
    type: "service_account",
    project_id: project,
    private_key_id: "1",
    private_key: privateKey,
    client_email: `deployer@${project}.iam.gserviceaccount.com`,
  });
  const endpoints = services.map((name) => [`GOOGLE_${name}_CUSTOM_ENDPOINT`, `${address}/${name.toLowerCase()}/v1/`]);
  const account = createProvider("gcp", { endpoints: Object.fromEntries(endpoints) }).openAccount({
    account: "prod",
    spec: {},
    region,
    session: "conformance",
    openCredentials: async () => new Secret({ gcp: { projectId: project, serviceAccountKey } }),
  });
  return account.listOwned(entityUid);
}
