# The route table always exists, so that adding the first route does not change the subnets.
locals {
  next_hops = { appliance = "VirtualAppliance", gateway = "VirtualNetworkGateway", internet = "Internet", network = "VnetLocal", none = "None" }
}

resource "azurerm_route_table" "nodes" {
  for_each            = local.made
  name                = "${local.base}-nodes"
  location            = var.region
  resource_group_name = local.group
  tags                = merge(local.tags, { "cloudwright:part" = "nodes/${each.key}" })
}

# Routes are separate resources, so that routes added by others are kept.
resource "azurerm_route" "nodes" {
  for_each               = { for route in var.routes : route.name => route if var.vnet_id == null }
  name                   = each.key
  resource_group_name    = local.group
  route_table_name       = azurerm_route_table.nodes["network"].name
  address_prefix         = each.value.cidr
  next_hop_type          = local.next_hops[each.value.next_hop]
  next_hop_in_ip_address = each.value.next_hop_ip
}

resource "azurerm_subnet_route_table_association" "this" {
  for_each       = local.worker_roles
  subnet_id      = azurerm_subnet.this[each.key].id
  route_table_id = azurerm_route_table.nodes["network"].id
}
