--[[
@agent keeper.boats
@version 1.0.0
@description The herring boats of Graypoint that are out tonight, how near each is to the bar, and the fog siren that calls them in. With every answer some come nearer.

@tool count_boats
@tool-description Count the riding lights of the herring boats that are out tonight. Call this before you say how many boats are out or home, or where one of them is, and when someone asks after the fleet or a skipper.
@tool-params {"type":"object","properties":{"boat":{"type":"string","description":"Only this boat, by its name or its skipper's. Leave it out for all of them."}}}

@tool sound_horn
@tool-description Crank the fog siren on the gallery, so that the boats find the bar sooner. Call this whenever anyone turns the crank, sounds the siren or the fog horn, or calls the boats in.
@tool-params {"type":"object","properties":{"turns":{"type":"integer","minimum":1,"maximum":12,"description":"How many long turns of the crank, one a minute. 3 if absent."}}}

@command @boats boats_command
@command @horn horn_command

@preload true
@hook conversationStart
@hook beforeResponse
@hook afterResponse
@hook afterUserEdit
]]

-- Store: { boats = {{ name, place }}, blown = {{ turns, toolCallId? }}, last = { places, blown } }.
-- `place` is one of PLACES; `blown` is what was sounded since the latest answer; `last` lets an
-- answer that is asked for again be taken back.

local PLACES = { "at the nets", "standing in", "on the bar", "home" }
local HOME = #PLACES
local MAX_TURNS, MAX_BLOWN = 12, 40
local DRIFT, CALLED = 0.12, 0.4 -- how likely a boat comes nearer with one answer, and when called

local FLEET = {
  { name = "Provider", skipper = "Amos Trew", place = 1 },
  { name = "Girl Ida", skipper = "Silas Dole", place = 1 },
  { name = "Constant Ann", skipper = "Jory Pascoe", place = 2 },
  { name = "Two Brothers", skipper = "Ned Garrick", place = 1 },
  { name = "Morning Star", skipper = "Wm. Hext", place = 2 },
  { name = "Harvest Home", skipper = "Old Trew", place = 1 },
}

local ANSWERS = {
  "Out in the dark a hand horn answers: the %s.",
  "A long way off somebody beats on a bucket. That will be the %s.",
  "A flare burns for a breath, and shows the brown sail of the %s.",
}

-- ---- words and figures

local function line(value)
  if type(value) ~= "string" and type(value) ~= "number" then return "" end
  return (tostring(value):gsub("%s+", " "):match("^ ?(.-) ?$"))
end

local function whole(value)
  local number = tonumber(value)
  return number and math.tointeger(number)
end

local function list(value)
  return type(value) == "table" and value or {}
end

local function number_of(place)
  for number, name in ipairs(PLACES) do
    if name == place then return number end
  end
end

local function plural(count, thing)
  return count == 1 and "one " .. thing or string.format("%d %ss", count, thing)
end

-- ---- the fleet: good values, whatever the store holds

--- The boats as { name, skipper, at }, in the order of the quay.
local function fleet(store)
  local known = {}
  for _, boat in ipairs(list(store.boats)) do
    if type(boat) == "table" and type(boat.name) == "string" then
      known[boat.name] = number_of(boat.place)
    end
  end
  local boats = {}
  for number, boat in ipairs(FLEET) do
    local at = known[boat.name] or boat.place
    boats[number] = { name = boat.name, skipper = boat.skipper, at = at }
  end
  return boats
end

local function save(store, boats)
  store.boats = {}
  for number, boat in ipairs(boats) do
    store.boats[number] = { name = boat.name, place = PLACES[boat.at] }
  end
end

local function blown(value)
  local good = {}
  for _, one in ipairs(list(value)) do
    local turns = type(one) == "table" and whole(one.turns)
    if turns and turns >= 1 and turns <= MAX_TURNS and #good < MAX_BLOWN then
      good[#good + 1] = { turns = turns, toolCallId = whole(one.toolCallId) }
    end
  end
  return good
end

local function wish(text)
  local wanted = text:lower():gsub("^the ", ""):gsub("^herring ", "")
  return (wanted == "boats" or wanted == "fleet" or wanted == "all") and "" or wanted
end

local function find(boats, text)
  local wanted = wish(text)
  if wanted == "" then return nil end
  for _, boat in ipairs(boats) do
    local name, skipper = boat.name:lower(), boat.skipper:lower()
    if name:find(wanted, 1, true) or skipper:find(wanted, 1, true) or wanted:find(name, 1, true) then
      return boat
    end
  end
end

local function boat_line(boat)
  return string.format("%s (%s), %s", boat.name, boat.skipper, PLACES[boat.at])
end

local function count_line(boats)
  local out = 0
  for _, boat in ipairs(boats) do
    if boat.at < HOME then out = out + 1 end
  end
  if out == 0 then return "All " .. #boats .. " boats are home." end
  return string.format("%d of %d boats still out.", out, #boats)
end

-- ---- tools and commands

local function count_boats(args, store)
  local boats, wanted = fleet(store), line(args.boat)
  local boat = find(boats, wanted)
  if boat then return boat_line(boat) .. "." end
  local lines = { count_line(boats) }
  for _, one in ipairs(boats) do lines[#lines + 1] = "- " .. boat_line(one) end
  if wish(wanted) ~= "" then table.insert(lines, 1, "No boat of Graypoint is called " .. wanted:sub(1, 60) .. ".") end
  return table.concat(lines, "\n")
end

--- Returns whether the horn was sounded, and what is to be said.
local function sound(given, store, studio, context)
  local turns = 3
  if given ~= nil and given ~= "" then turns = whole(given) end
  if not turns or turns < 1 or turns > MAX_TURNS then
    return false, "The crank is turned 1 to 12 times, in figures. For example @horn 3"
  end
  local sounded = blown(store.blown)
  if #sounded >= MAX_BLOWN then return false, "The siren is too hot to touch. Let it cool." end
  sounded[#sounded + 1] = { turns = turns, toolCallId = whole(context.toolCallId) }
  store.blown = sounded
  studio.log("Siren: " .. plural(turns, "turn") .. ".")
  local near = {}
  for _, boat in ipairs(fleet(store)) do
    if boat.at == 2 or boat.at == 3 then near[#near + 1] = boat.name end
  end
  local said = "The siren goes out over the water, " .. plural(turns, "long turn") .. "."
  if #near == 0 then return true, said .. " Nothing answers." end
  return true, said .. " " .. ANSWERS[math.random(#ANSWERS)]:format(near[math.random(#near)])
end

function on_tool_call(name, args, store, studio, context)
  args = list(args)
  if name == "count_boats" then return count_boats(args, store) end
  if name == "sound_horn" then return (select(2, sound(args.turns, store, studio, context))) end
  return "[Unknown tool: " .. tostring(name) .. "]"
end

--- `@boats`, `@boats Girl Ida home`.
function boats_command(args, store, studio)
  local text, boats = line(args), fleet(store)
  if text == "" then
    studio.toast(count_boats({}, store))
    return nil
  end
  for number, place in ipairs(PLACES) do
    local name = text:lower():match("^(.-) " .. place .. "$")
    local boat = name and find(boats, name)
    if boat then
      boat.at = number
      save(store, boats)
      studio.log(boat_line(boat) .. ".")
      return nil
    end
  end
  return "Name a boat and a place: " .. table.concat(PLACES, ", ") .. ". For example @boats Girl Ida home"
end

--- `@horn`, `@horn 6`.
function horn_command(args, store, studio, context)
  local done, said = sound(line(args), store, studio, context)
  if not done then return said end
  studio.toast(said)
end

-- ---- turns

function on_load(store)
  local boats, lines = fleet(store), {}
  for _, boat in ipairs(boats) do
    if boat.at < HOME then lines[#lines + 1] = boat.name .. ", " .. PLACES[boat.at] end
  end
  local out = #lines > 0 and " " .. table.concat(lines, "; ") .. "." or ""
  return "## The herring boats, as seen from the gallery\n" .. count_line(boats) .. out
end

function on_conversation_start(event, store)
  save(store, fleet(store))
end

--- A message that is answered again finds the boats where they were.
function on_before_response(event, store)
  local last = store.last
  if type(event) ~= "table" or event.regenerate ~= true or type(last) ~= "table" then return end
  save(store, fleet({ boats = last.boats }))
  store.blown = blown(last.blown)
  store.last = nil
end

--- Each boat may come one place nearer, sooner when the siren has been heard.
function on_after_response(event, store, studio)
  local boats, sounded, turns = fleet(store), blown(store.blown), 0
  save(store, boats)
  store.last = { boats = store.boats, blown = sounded }
  for _, one in ipairs(sounded) do turns = turns + one.turns end
  local chance = DRIFT + (CALLED - DRIFT) * math.min(turns, MAX_TURNS) / MAX_TURNS
  for _, boat in ipairs(boats) do
    if boat.at < HOME and math.random() < chance then
      boat.at = boat.at + 1
      if boat.at == HOME then studio.log("The " .. boat.name .. " is home.") end
    end
  end
  save(store, boats)
  store.blown = {}
end

--- Turns of the crank in removed calls were not heard.
function on_after_user_edit(event, store)
  local gone = {}
  for _, id in ipairs(list(type(event) == "table" and event.deletedToolCallIds)) do gone[id] = true end
  local function kept(sounded)
    local left = {}
    for _, one in ipairs(blown(sounded)) do
      if not (one.toolCallId and gone[one.toolCallId]) then left[#left + 1] = one end
    end
    return left
  end
  store.blown = kept(store.blown)
  if type(store.last) == "table" then store.last.blown = kept(store.last.blown) end
end
