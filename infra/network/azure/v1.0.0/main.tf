# Each resource carries its Terraform name and key in the `cloudwright:part` tag. If a run is killed, the next run uses this tag
# to find the resources that were left behind. Subnets, rules, routes and associations have no tags. They are found through the
# resource that contains them.
locals {
  tags = merge(var.tags, {
    "cloudwright:project" = var.owner.project
    "cloudwright:entity"  = var.owner.entity
  })
  uid = replace(var.owner.entity, "-", "")
  # Suffix for names that must be unique in a resource group. The last characters of a uid are random.
  short = substr(local.uid, max(0, length(local.uid) - 8), -1)
  # Names of virtual networks can have at most 64 characters.
  base = "${trimsuffix(substr(var.name, 0, 50), "-")}-${local.short}"

  # Empty for an existing network, in which nothing is created.
  made    = toset(var.vnet_id == null ? ["network"] : [])
  grouped = toset(var.vnet_id == null && var.resource_group_name == null ? ["network"] : [])
  group = var.vnet_id != null ? split("/", var.vnet_id)[4] : (
    var.resource_group_name != null ? var.resource_group_name : one([for group in azurerm_resource_group.this : group.name])
  )

  # By default, pods get the upper half of the network's range, nodes the first quarter, and API servers the sixteenth that follows the
  # first quarter.
  ranges = { for role, range in {
    nodes      = coalesce(var.node_subnet_cidr, try(cidrsubnet(var.cidr_range, 2, 0), "none"))
    pods       = var.pod_subnet ? coalesce(var.pod_subnet_cidr, try(cidrsubnet(var.cidr_range, 1, 1), "none")) : null
    api-server = var.api_server_subnet ? coalesce(var.api_server_subnet_cidr, try(cidrsubnet(var.cidr_range, 4, 4), "none")) : null
  } : role => range if range != null && var.vnet_id == null }
  # Subnets that need outbound access, security rules and routes. Azure manages the traffic of the API servers' subnet.
  worker_roles = toset([for role in keys(local.ranges) : role if role != "api-server"])
}

resource "azurerm_resource_group" "this" {
  for_each = local.grouped
  name     = local.base
  location = var.region
  tags     = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}

resource "azurerm_virtual_network" "this" {
  for_each            = local.made
  name                = local.base
  location            = var.region
  resource_group_name = local.group
  address_space       = [var.cidr_range]
  tags                = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}

resource "azurerm_subnet" "this" {
  for_each             = local.ranges
  name                 = each.key
  resource_group_name  = local.group
  virtual_network_name = azurerm_virtual_network.this["network"].name
  address_prefixes     = [each.value]
  # Without a NAT gateway, machines that AKS does not manage rely on Azure's implicit outbound addresses.
  default_outbound_access_enabled = var.nat == "none" && each.key != "api-server"
  # AKS requires the subnets of API servers and pods to be delegated to it.
  dynamic "delegation" {
    for_each = toset(each.key == "nodes" ? [] : ["aks"])
    content {
      name = "aks"
      service_delegation {
        name    = "Microsoft.ContainerService/managedClusters"
        actions = ["Microsoft.Network/virtualNetworks/subnets/join/action"]
      }
    }
  }
  dynamic "service_endpoint" {
    for_each = each.key == "api-server" ? [] : sort(var.service_endpoints)
    content {
      service = service_endpoint.value
    }
  }
}
