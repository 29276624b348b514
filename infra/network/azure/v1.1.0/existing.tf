# An existing network is only read, never changed.
locals {
  given_subnets = { for role, id in {
    nodes      = var.node_subnet_id
    pods       = var.pod_subnet_id
    api-server = var.api_server_subnet_id
  } : role => id if id != null }
}

data "azurerm_virtual_network" "given" {
  for_each            = toset(var.vnet_id == null ? [] : ["network"])
  name                = split("/", var.vnet_id)[8]
  resource_group_name = split("/", var.vnet_id)[4]
  lifecycle {
    postcondition {
      condition     = lower(self.id) == lower(var.vnet_id)
      error_message = "The virtual network ${var.vnet_id} is in another subscription than the account."
    }
  }
}

data "azurerm_subnet" "given" {
  for_each             = local.given_subnets
  name                 = split("/", each.value)[10]
  virtual_network_name = split("/", var.vnet_id)[8]
  resource_group_name  = split("/", var.vnet_id)[4]
  lifecycle {
    postcondition {
      condition     = lower(self.id) == lower(each.value)
      error_message = "The subnet ${each.value} is not in ${coalesce(var.vnet_id, "the network")}."
    }
  }
}
