import { objectOf } from "@cloudwright/platform";
import type { ApiOperation } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import { guid } from "../../place.ts";
import { listArmOperations } from "../arm-kind.ts";
import { etagOf } from "../arm-resources.ts";

/** The fields of an application security group. It has only a name, a location and tags. */
export const applicationGroupMapping: ResourceMapping = {
  type: "azurerm_application_security_group",
  model: "ApplicationSecurityGroup",
  fields: [],
};

/** Operations on application security groups. */
export const applicationGroupOperations: readonly ApiOperation[] = listArmOperations({
  mapping: applicationGroupMapping,
  path: "Microsoft.Network/applicationSecurityGroups/{applicationSecurityGroupName}",
  title: "ApplicationSecurityGroups",
  creating: "Updating",
  complete: (_call, record, rendered) => ({
    ...rendered,
    etag: `W/"${etagOf(record.attributes)}"`,
    properties: { ...objectOf(rendered["properties"]), resourceGuid: guid(record.id) },
  }),
});
