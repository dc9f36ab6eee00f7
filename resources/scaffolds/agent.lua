--[[
@agent scaffold.agent-name
@version 1.0.0
@description Says in one sentence what this agent adds to the character.

Take the # away to switch a line on:
# @preload true
# @hook afterResponse
# @command @scaffold_tool note_command
# @api studio.history
# @api studio.context
# @debug true

@tool scaffold_tool
@tool-description Says when the model should call this tool, and for what.
@tool-params {"type":"object","properties":{"text":{"type":"string","description":"What to note down."}},"required":["text"]}
]]

-- The store is kept for each conversation: { notes = { string } }.

local function note(text, store, studio)
  store.notes = store.notes or {}
  store.notes[#store.notes + 1] = text
  studio.log("noted: " .. text)
end

-- What the model is told before each turn; called with `@preload true`.
function on_load(store, studio, context)
  if not store.notes or #store.notes == 0 then return nil end
  return "Noted so far: " .. table.concat(store.notes, "; ")
end

-- A tool call of the model; what is returned is what the model reads.
function on_tool_call(tool_name, args, store, studio, context)
  local text = tostring(args.text or ""):match("^%s*(.-)%s*$")
  if text == "" then return "Nothing was given to note down." end
  note(text, store, studio)
  return "Noted. There are " .. #store.notes .. " notes now."
end

-- After each response; called with `@hook afterResponse`.
function on_after_response(event, store, studio, context)
  store.responses = (store.responses or 0) + 1
end

-- The user's own command; called with `@command`. A sentence that is returned is an error.
function note_command(args, store, studio, context)
  if not args:match("%S") then return "Write what is to be noted." end
  note(args, store, studio)
end
