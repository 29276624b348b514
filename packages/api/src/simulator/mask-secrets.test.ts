import { expect, test } from "vitest";
import { maskSecrets } from "./mask-secrets.ts";

test("X063 simulated records contain no user data, passwords or keys", () => {
  const attributes = {
    user_data_base64: "canary",
    user_data: "",
    metadata: { "user-data": "canary", "startup-script": "canary", zone: "a" },
    custom_data: "canary",
    secondary_access_key: "canary",
    primary_connection_string: "canary",
    admin_password: "canary",
    kube_config: [{ client_key: "canary", host: "https://x" }],
    master_auth: [{ client_key: "canary", cluster_ca_certificate: "public" }],
    secret: { name: "canary" },
    key_name: "shown",
    access_keys: ["shown"],
  };
  const masked = maskSecrets(attributes);
  expect(JSON.stringify(masked)).not.toContain("canary");
  expect(masked).toMatchObject({
    user_data: "",
    metadata: { zone: "a" },
    master_auth: [{ cluster_ca_certificate: "public" }],
    key_name: "shown",
    access_keys: ["shown"],
  });
});
