import type { EntityByKind } from "@cloudwright/api-client";
import { mono } from "../../kinds/mono.tsx";
import type { CloudView, CredentialField } from "../cloud-view.ts";

const application: readonly CredentialField[] = [
  { name: "tenantId", label: "Tenant id" },
  { name: "clientId", label: "Client id", description: "Application id of the service principal" },
];

export const azureView: CloudView = {
  methods: [
    {
      value: "agent",
      label: "Managed identity",
      fields: [{ name: "clientId", label: "Client id", description: "Only for a user-assigned identity" }],
      settings: { agentCredentials: true },
    },
    {
      value: "secret",
      label: "Client secret",
      fields: [...application, { name: "clientSecret", label: "Client secret", input: "secret" }],
    },
  ],
  accountFields: [
    { name: "subscriptionId", label: "Subscription id", description: "Credentials for any other subscription are rejected." },
    {
      name: "resourceGroup",
      label: "Resource group",
      description: "Existing group for all resources (default: one group per entity)",
    },
  ],
  listAccountFacts(account) {
    const { subscriptionId, tenantId, resourceGroup } = account as NonNullable<
      NonNullable<EntityByKind["Account"]["spec"]>["azure"]
    >;
    return [
      ["Subscription id", mono(subscriptionId)],
      ["Tenant id", mono(tenantId)],
      ["Resource group", resourceGroup],
    ];
  },
  zones: ["1", "2", "3"],
  sampleError: "SkuNotAvailable: the requested size is not available in this location",
  resourceIcons: [
    [/^azurerm_(user_assigned_identity|role_assignment|federated_identity)/, "access"],
    [/^azurerm_kubernetes_/, "cluster"],
    [/^azurerm_(storage_|managed_disk)/, "storage"],
    [/^azurerm_key_vault/, "access"],
  ],
};
