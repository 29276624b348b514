# A subnet can have only one NAT gateway. `single` creates a gateway in a zone that Azure chooses, and `per-zone` creates a gateway that
# spans all zones.
locals {
  nat      = toset(var.nat == "none" ? [] : local.made)
  nat_sku  = var.nat == "per-zone" ? "StandardV2" : "Standard"
  nat_keys = toset(length(local.nat) == 0 ? [] : [for index in range(var.nat_ips) : tostring(index)])
}

resource "azurerm_public_ip" "nat" {
  for_each            = local.nat_keys
  name                = "${local.base}-nat-${each.key}"
  location            = var.region
  resource_group_name = local.group
  allocation_method   = "Static"
  sku                 = local.nat_sku
  zones               = var.zones
  tags                = merge(local.tags, { "cloudwright:part" = "nat/${each.key}" })
}

resource "azurerm_nat_gateway" "this" {
  for_each            = local.nat
  name                = "${local.base}-nat"
  location            = var.region
  resource_group_name = local.group
  sku_name            = local.nat_sku
  tags                = merge(local.tags, { "cloudwright:part" = "this/${each.key}" })
}

resource "azurerm_nat_gateway_public_ip_association" "nat" {
  for_each             = local.nat_keys
  nat_gateway_id       = azurerm_nat_gateway.this["network"].id
  public_ip_address_id = azurerm_public_ip.nat[each.key].id
}

resource "azurerm_subnet_nat_gateway_association" "this" {
  for_each       = toset(length(local.nat) == 0 ? [] : local.worker_roles)
  subnet_id      = azurerm_subnet.this[each.key].id
  nat_gateway_id = azurerm_nat_gateway.this["network"].id
  # A gateway without an address would block outgoing traffic.
  depends_on = [azurerm_nat_gateway_public_ip_association.nat]
}

resource "azurerm_public_ip" "load_balancer" {
  for_each            = toset(var.vnet_id == null ? [for index in range(var.load_balancer_ips) : tostring(index)] : [])
  name                = "${local.base}-lb-${each.key}"
  location            = var.region
  resource_group_name = local.group
  allocation_method   = "Static"
  sku                 = "Standard"
  zones               = var.zones
  tags                = merge(local.tags, { "cloudwright:part" = "load_balancer/${each.key}" })
}
