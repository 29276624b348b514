import { checkName } from "../names.ts";
import { inGroup, type AzureResource } from "../resource.ts";

const group: AzureResource = {
  noun: "Application Security Group",
  path: `${inGroup}/Microsoft.Network/applicationSecurityGroups/{name}`,
  takes: { create: 2, update: 1, delete: 2 },
  limits: [
    {
      quota: "application-security-groups-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "ApplicationSecurityGroupCountLimitReached",
        message: `Cannot create more than ${limit} application security groups for this subscription in this region.`,
      }),
    },
  ],
  held: (id, holder) => ({
    code: "ApplicationSecurityGroupInUse",
    message: `Application security group ${id} cannot be deleted because it is in use by the following resources: ${holder.id}.`,
    status: 409,
  }),
  check: ({ operation, planned }) => (operation === "delete" ? [] : checkName(planned, 80)),
};

/** The application security group resource type. */
export const applicationGroups = { azurerm_application_security_group: group } as const;
