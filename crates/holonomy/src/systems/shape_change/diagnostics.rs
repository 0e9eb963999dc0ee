//! What a finished motion says about its stroke: who pushes and who is dragged, and how efficient it is.
