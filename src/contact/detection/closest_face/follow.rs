pub struct Followed;
