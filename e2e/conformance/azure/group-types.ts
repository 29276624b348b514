import { AzureRefusal, type ResourceType } from "./resource-type.ts";

export const groupTypes: Readonly<Record<string, ResourceType>> = {
  "microsoft.resources/resourcegroups": {
    statuses: { create: 201, remove: 202 },
    complete(resource, previous) {
      if (previous !== undefined && previous.location !== resource.location) {
        throw new AzureRefusal(409, "InvalidResourceGroupLocation", `${resource.name} exists in ${previous.location}.`);
      }
    },
  },
};
