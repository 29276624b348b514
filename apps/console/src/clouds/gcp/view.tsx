import type { EntityByKind } from "@cloudwright/api-client";
import { mono } from "../../kinds/mono.tsx";
import type { CloudView, CredentialField } from "../cloud-view.ts";

const impersonated: CredentialField = {
  name: "serviceAccount",
  label: "Service account to impersonate",
  placeholder: "cloudwright@my-project.iam.gserviceaccount.com",
};

export const gcpView: CloudView = {
  methods: [
    { value: "agent", label: "Agent's own credentials", fields: [impersonated], settings: { agentCredentials: true } },
    {
      value: "federation",
      label: "Workload identity federation",
      fields: [
        {
          name: "workloadIdentityProvider",
          label: "Workload identity provider",
          placeholder: "projects/123456789012/locations/global/workloadIdentityPools/agents/providers/cloudwright",
        },
        impersonated,
      ],
    },
    {
      value: "key",
      label: "Service account key",
      fields: [{ name: "serviceAccountKey", label: "Service account key (JSON)", input: "secret-text" }],
    },
  ],
  accountFields: [{ name: "projectId", label: "Project id", description: "Credentials for any other project are rejected." }],
  listAccountFacts(account) {
    const { projectId, serviceAccount } = account as NonNullable<NonNullable<EntityByKind["Account"]["spec"]>["gcp"]>;
    return [
      ["Project id", projectId],
      ["Service account", mono(serviceAccount)],
    ];
  },
  zones: ["a", "b", "c", "d", "f"],
  sampleError: "ZONE_RESOURCE_POOL_EXHAUSTED: the zone does not have enough resources",
  resourceIcons: [
    [/^google_(service_account|project_iam)/, "access"],
    [/^google_container_/, "cluster"],
    [/^google_(storage_|compute_disk|filestore)/, "storage"],
  ],
};
